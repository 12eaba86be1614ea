/** The text of the "Add server" form, and the ways between it and what the core saves. */

import { DEFAULT_SERVER_OPTIONS } from '$lib/bindings/DefaultServerOptions';
import type { EraChoice } from '$lib/bindings/EraChoice';
import type { ErrorView } from '$lib/bindings/ErrorView';
import type { NamedValue } from '$lib/bindings/NamedValue';
import type { ServerDraft } from '$lib/bindings/ServerDraft';
import type { ServerOptions } from '$lib/bindings/ServerOptions';
import { looksSecret } from '$lib/text/secret';
import { namesIn, plainUrl } from './references';
import {
  DEFAULT_TEXT,
  optionFaults,
  optionsOf,
  optionsText,
  type OptionName,
  type OptionsText,
} from './options/text';

export type Transport = 'stdio' | 'http';

/** Everything as typed. Both transports are kept, so that a look at the other one loses nothing. */
export interface ServerText {
  name: string;
  transport: Transport;
  command: string;
  /** One argument a line, see {@link argumentLines}. */
  args: string;
  env: ValueRow[];
  folder: string;
  url: string;
  headers: ValueRow[];
  era: EraChoice;
  options: OptionsText;
  /** The options as they were: what the form does not show stays. */
  optionsBefore: ServerOptions;
}

export interface ValueRow {
  /** Stays with the row. */
  id: number;
  name: string;
  value: string;
  secret: boolean;
  /** The person decided about `secret`; the name no longer does. */
  isDecided: boolean;
  /** The keyring has its value already: an empty text leaves it. */
  isKept: boolean;
}

let lastRow = 0;

export function newRow(name = '', value = ''): ValueRow {
  lastRow += 1;
  return { id: lastRow, name, value, secret: looksSecret(name), isDecided: false, isKept: false };
}

export function emptyText(): ServerText {
  return {
    name: '',
    transport: 'stdio',
    command: '',
    args: '',
    env: [],
    folder: '',
    url: '',
    headers: [],
    era: 'auto',
    options: { ...DEFAULT_TEXT },
    optionsBefore: structuredClone(DEFAULT_SERVER_OPTIONS),
  };
}

/** The form's text for a draft. `isSaved`: it comes from the catalog, where secret values are kept already. */
export function textOf(draft: ServerDraft, isSaved: boolean): ServerText {
  const optionsBefore = draft.options ?? structuredClone(DEFAULT_SERVER_OPTIONS);
  const text: ServerText = {
    ...emptyText(),
    name: draft.name,
    era: draft.era,
    transport: draft.endpoint.transport,
    options: optionsText(optionsBefore),
    optionsBefore,
  };
  const rows = (values: readonly NamedValue[]): ValueRow[] =>
    values.map(({ name, value, secret }) => ({
      ...newRow(name, value),
      secret,
      isDecided: true,
      isKept: isSaved && secret && value === '',
    }));
  const { endpoint } = draft;
  if (endpoint.transport === 'http') return { ...text, url: endpoint.url, headers: rows(endpoint.headers) };
  return {
    ...text,
    command: endpoint.command,
    args: argumentLines(endpoint.args),
    env: rows(endpoint.env),
    folder: endpoint.folder ?? '',
  };
}

/** What is saved. */
export function draftOf(text: ServerText): ServerDraft {
  const values = (rows: readonly ValueRow[]): NamedValue[] =>
    rows
      .filter((row) => row.name.trim() !== '' || row.value !== '')
      .map(({ name, value, secret }) => ({ name: name.trim(), value, secret }));
  const name = text.name.trim() === '' ? suggestedName(text) : text.name.trim();
  const options = optionsOf(text.options, text.optionsBefore, text.transport);
  if (text.transport === 'http') {
    return {
      name,
      endpoint: { transport: 'http', url: text.url.trim(), headers: values(text.headers) },
      era: text.era,
      options,
    };
  }
  const folder = text.folder.trim();
  return {
    name,
    endpoint: {
      transport: 'stdio',
      command: text.command.trim(),
      args: readArguments(text.args),
      env: values(text.env),
      folder: folder === '' ? null : folder,
    },
    era: text.era,
    options,
  };
}

/** Arguments over lines. One that white space or a quote could make unclear stands in double quotes, as in JSON. */
export function argumentLines(args: readonly string[]): string {
  return args
    .map((argument) => {
      const isClear = argument !== '' && argument === argument.trim() && !/^"|[\n\r]/.test(argument);
      return isClear ? argument : JSON.stringify(argument);
    })
    .join('\n');
}

/** The other way: a line that is a whole JSON string is what that string says; empty lines are nothing. */
export function readArguments(lines: string): string[] {
  return lines
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      if (!line.startsWith('"')) return line;
      try {
        const value: unknown = JSON.parse(line);
        return typeof value === 'string' ? value : line;
      } catch {
        return line;
      }
    });
}

/** The command as a shell would take it: to see where each argument begins and ends. */
export function commandLine(command: string, args: readonly string[]): string {
  return [command, ...args].map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Whether a whole command line seems to have been typed as the command. */
export function looksLikeWholeLine(text: ServerText): boolean {
  const command = text.command.trim();
  if (!/\s/.test(command) || readArguments(text.args).length > 0) return false;
  const first = command.split(/\s+/)[0] ?? '';
  // `C:\Program Files\…` and `/opt/My Server/bin` are one path: nothing before the space names a program.
  return /^["'].+["']\s|\s-/.test(command) || /^[\w.-]+$/.test(first);
}

/** A name to begin with: the package, the program or the host. */
export function suggestedName(text: ServerText): string {
  if (text.transport === 'http') {
    try {
      return new URL(plainUrl(text.url.trim())).host;
    } catch {
      return '';
    }
  }
  const program = lastPart(text.command.trim());
  if (
    !/^(?:npx|bunx|pnpx|uvx|pipx|npm|pnpm|yarn|node|deno|bun|python3?|uv|docker|podman|cmd)$/i.test(program)
  ) {
    return program;
  }
  const args = readArguments(text.args).filter(
    (argument) => !argument.startsWith('-') && !/^(?:run|exec|dlx|tool|x|\/c)$/i.test(argument),
  );
  const named = args[0] === undefined ? '' : lastPart(args[0].replace(/(.)@[^/]*$/, '$1'));
  return named === '' ? program : named;
}

function lastPart(path: string): string {
  const last = path.split(/[\\/]/).findLast((part) => part !== '') ?? '';
  return last.replace(/\.(?:exe|cmd|bat|js|mjs|cjs|ts|py)$/i, '');
}

/** Lines of `NAME=value` or `Name: value`, pasted into a row; undefined when it is just a name. */
export function readRows(text: string, transport: Transport): ValueRow[] | undefined {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '' && !line.trim().startsWith('#'));
  const pattern =
    transport === 'stdio' ? /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)=(.*)$/ : /^\s*([\w-]+)\s*:\s*(.*)$/;
  const rows: ValueRow[] = [];
  for (const line of lines) {
    const match = pattern.exec(line);
    if (match?.[1] === undefined || match[2] === undefined) return undefined;
    rows.push(newRow(match[1], unquoted(match[2].trim())));
  }
  return rows.length === 0 ? undefined : rows;
}

function unquoted(value: string): string {
  const match = /^(["'])(.*)\1$/.exec(value);
  return match?.[2] ?? value;
}

/** Where an error is shown. */
export type Place = 'name' | 'command' | 'url' | 'secrets' | 'values' | 'option' | 'form';

export interface TextProblem {
  readonly place: Place;
  /** The row, where it is about one. */
  readonly row?: number | undefined;
  /** The option, where it is about one. */
  readonly option?: OptionName;
  readonly message: string;
}

/** What keeps the text from being saved; the first problem of each place. */
export function faultsOf(
  text: ServerText,
  keptNames: readonly string[] = [],
  secretValues: Readonly<Record<string, string>> = {},
): TextProblem[] {
  const faults: TextProblem[] = [];
  if (text.transport === 'stdio' && text.command.trim() === '') {
    faults.push({ place: 'command', message: 'Enter the program to start, such as npx or a path.' });
  }
  if (text.transport === 'http' && !isWebAddress(text.url)) {
    const message =
      text.url.trim() === ''
        ? 'Enter the URL, such as https://example.com/mcp.'
        : 'This is not an http or https URL. Enter the whole of it, such as https://example.com/mcp.';
    faults.push({ place: 'url', message });
  }
  const lacking = namesIn(text.transport === 'http' ? text.url : text.args).find(
    (name) => !keptNames.includes(name) && (secretValues[name] ?? '') === '',
  );
  if (lacking !== undefined)
    faults.push({ place: 'secrets', message: `Enter the value of the secret ${lacking}.` });
  if (draftOf(text).name === '' && faults.length === 0) {
    faults.push({ place: 'name', message: 'Give it a name to find it by in the list.' });
  }
  const options = optionFaults(text.options, text.transport).map(({ name, message }): TextProblem => ({
    place: 'option',
    option: name,
    message,
  }));
  return [...faults, ...faultsOfRows(text), ...options];
}

function faultsOfRows(text: ServerText): TextProblem[] {
  const what = text.transport === 'stdio' ? 'variable' : 'header';
  const rows = text.transport === 'stdio' ? text.env : text.headers;
  const names = new Set<string>();
  const faults: TextProblem[] = [];
  for (const row of rows) {
    const name = row.name.trim();
    const key = text.transport === 'http' ? name.toLowerCase() : name;
    const say = (message: string): number => faults.push({ place: 'values', row: row.id, message });
    if (name === '' && row.value !== '') say(`This ${what} has a value and no name.`);
    else if (name !== '' && text.transport === 'http' && !/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
      say('A header name has only letters, digits and hyphens.');
    } else if (name !== '' && text.transport === 'stdio' && /[=\0]/.test(name))
      say('A variable name has no “=”.');
    else if (name !== '' && names.has(key)) say(`There is another ${what} with this name.`);
    else if (name !== '' && row.secret && row.value === '' && !row.isKept) {
      say('Enter the secret value, or do not keep it as a secret.');
    }
    names.add(key);
  }
  return faults;
}

function isWebAddress(text: string): boolean {
  try {
    return ['http:', 'https:'].includes(new URL(plainUrl(text.trim())).protocol);
  } catch {
    return false;
  }
}

/** How a refusal that is about an option begins. */
const OPTION_WORDS: readonly [RegExp, OptionName][] = [
  [/^The (?:server’s )?proxy\b/i, 'proxy'],
  [/^The (?:CA|certificates?) file\b/i, 'caFile'],
  [/^The extra _meta\b/i, 'meta'],
];

/** The place of a refusal by the core, by what it talks about. */
export function placeOf(error: ErrorView, text: ServerText): TextProblem {
  const message = error.hint === null ? error.message : `${error.message} ${error.hint}`;
  if (error.code !== 'bad_input' && error.code !== 'not_kept') return { place: 'form', message };
  // First, because it quotes what the person chose, which may be any of the words below.
  if (/^There is a server named/.test(error.message)) return { place: 'name', message };
  const option = OPTION_WORDS.find(([words]) => words.test(error.message))?.[1];
  if (option !== undefined) return { place: 'option', option, message };
  const rows = text.transport === 'stdio' ? text.env : text.headers;
  const row = rows.find(({ name }) => name.trim() !== '' && error.message.includes(name.trim()));
  if (/^(?:An argument|The URL) refers to the secret/.test(error.message))
    return { place: 'secrets', message };
  if (/secret|variable|header/i.test(error.message)) return { place: 'values', row: row?.id, message };
  if (/\bURL\b/.test(error.message)) return { place: 'url', message };
  if (/command/i.test(error.message)) return { place: 'command', message };
  if (/\bname/i.test(error.message)) return { place: 'name', message };
  return { place: 'form', message };
}
