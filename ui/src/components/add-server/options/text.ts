/** How one server is treated, as the form shows it, and the ways between that and what the core keeps. */

import { DEFAULT_SERVER_OPTIONS } from '$lib/bindings/DefaultServerOptions';
import type { HttpStyle } from '$lib/bindings/HttpStyle';
import type { RestartChoice } from '$lib/bindings/RestartChoice';
import type { RetryChoice } from '$lib/bindings/RetryChoice';
import type { ServerOptions } from '$lib/bindings/ServerOptions';
import { folderLine, foldersOf, folderUri } from '$lib/text/folders';
import { limitText, readLimit } from './limit';

/** As typed: an empty text is the default, or nothing where there is none. */
export interface OptionsText {
  revision: string;
  http: HttpStyle;
  logLevel: string;
  meta: string;
  traceparent: boolean;
  requestLimit: string;
  progressResets: boolean;
  hardLimit: string;
  retry: RetryChoice;
  retryLimit: string;
  restart: RestartChoice;
  forms: boolean;
  links: boolean;
  sampling: boolean;
  roots: boolean;
  /** A path or a `file:` URI a line. */
  folders: string;
  tasks: boolean;
  proxy: string;
  caFile: string;
  record: boolean;
  cache: boolean;
  pageByPage: boolean;
  roundLimit: string;
}

export type OptionName = keyof OptionsText;

export interface OptionProblem {
  readonly name: OptionName;
  readonly message: string;
}

/** What only one of the transports has. The other one's form does not show it, and leaves it as it was. */
const ONLY: Partial<Record<OptionName, 'stdio' | 'http'>> = {
  http: 'http',
  proxy: 'http',
  caFile: 'http',
  restart: 'stdio',
};

export function optionsText(options: ServerOptions): OptionsText {
  const defaults = DEFAULT_SERVER_OPTIONS;
  const unless = (value: number, usual: number, text: (value: number) => string): string =>
    value === usual ? '' : text(value);
  return {
    revision: options.revision ?? '',
    http: options.http,
    logLevel: options.log_level ?? '',
    meta: options.meta ?? '',
    traceparent: options.traceparent,
    requestLimit: unless(options.request_limit_millis, defaults.request_limit_millis, limitText),
    progressResets: options.progress_resets_limit,
    hardLimit: unless(options.hard_limit_millis, defaults.hard_limit_millis, limitText),
    retry: options.retry,
    retryLimit: unless(options.retry_limit, defaults.retry_limit, String),
    restart: options.restart,
    forms: options.advertise.elicitation_form,
    links: options.advertise.elicitation_url,
    sampling: options.advertise.sampling,
    roots: options.advertise.roots,
    folders: options.roots.map(folderLine).join('\n'),
    tasks: options.advertise.tasks,
    proxy: options.proxy ?? '',
    caFile: options.ca_file ?? '',
    record: options.record,
    cache: options.cache,
    pageByPage: options.page_by_page,
    roundLimit: unless(options.round_limit, defaults.round_limit, String),
  };
}

export const DEFAULT_TEXT: Readonly<OptionsText> = optionsText(DEFAULT_SERVER_OPTIONS);

/**
 * What is kept. `before` gives what this form does not show: the other transport's options, and any that are newer
 * than it. A text that {@link optionFaults} complains of counts as untouched.
 */
export function optionsOf(
  text: OptionsText,
  before: ServerOptions,
  transport: 'stdio' | 'http',
): ServerOptions {
  const isOver = (name: OptionName): boolean => !isShown(name, transport) || fault(text, name) !== undefined;
  const pick = <T>(name: OptionName, value: () => T, old: T): T => (isOver(name) ? old : value());
  const defaults = DEFAULT_SERVER_OPTIONS;
  return {
    ...before,
    revision: orNull(text.revision),
    http: pick('http', () => text.http, before.http),
    request_limit_millis: pick(
      'requestLimit',
      () => readLimit(text.requestLimit) ?? defaults.request_limit_millis,
      before.request_limit_millis,
    ),
    progress_resets_limit: text.progressResets,
    hard_limit_millis: pick(
      'hardLimit',
      () => readLimit(text.hardLimit) ?? defaults.hard_limit_millis,
      before.hard_limit_millis,
    ),
    retry: text.retry,
    retry_limit: pick('retryLimit', () => wholeOr(text.retryLimit, defaults.retry_limit), before.retry_limit),
    round_limit: pick('roundLimit', () => wholeOr(text.roundLimit, defaults.round_limit), before.round_limit),
    restart: pick('restart', () => text.restart, before.restart),
    record: text.record,
    cache: text.cache,
    page_by_page: text.pageByPage,
    advertise: {
      ...before.advertise,
      elicitation_form: text.forms,
      elicitation_url: text.links,
      sampling: text.sampling,
      roots: text.roots,
      tasks: text.tasks,
    },
    log_level: orNull(text.logLevel),
    meta: pick('meta', () => orNull(text.meta), before.meta),
    traceparent: text.traceparent,
    proxy: pick('proxy', () => orNull(text.proxy), before.proxy),
    ca_file: pick('caFile', () => orNull(text.caFile), before.ca_file),
    roots: pick(
      'folders',
      () => foldersOf(text.folders).map((line) => folderUri(line) ?? line),
      before.roots,
    ),
  };
}

export function isShown(name: OptionName, transport: 'stdio' | 'http'): boolean {
  const only = ONLY[name];
  return only === undefined || only === transport;
}

/** The options shown that differ from their defaults: not how they are typed, but what they mean. */
export function changedOptions(text: OptionsText, transport: 'stdio' | 'http'): ReadonlySet<OptionName> {
  const names = Object.keys(DEFAULT_TEXT) as OptionName[];
  return new Set(names.filter((name) => isShown(name, transport) && isChanged(text, name)));
}

function isChanged(text: OptionsText, name: OptionName): boolean {
  const value = text[name];
  if (typeof value !== 'string') return value !== DEFAULT_TEXT[name];
  const typed = value.trim();
  if (typed === '' || typed === DEFAULT_TEXT[name]) return typed !== DEFAULT_TEXT[name];
  switch (name) {
    case 'requestLimit':
      return readLimit(typed) !== DEFAULT_SERVER_OPTIONS.request_limit_millis;
    case 'hardLimit':
      return readLimit(typed) !== DEFAULT_SERVER_OPTIONS.hard_limit_millis;
    case 'retryLimit':
      return whole(typed) !== DEFAULT_SERVER_OPTIONS.retry_limit;
    case 'roundLimit':
      return whole(typed) !== DEFAULT_SERVER_OPTIONS.round_limit;
    default:
      return true;
  }
}

/** What cannot be kept as it is typed, in the order of the form. */
export function optionFaults(text: OptionsText, transport: 'stdio' | 'http'): OptionProblem[] {
  const faults: OptionProblem[] = [];
  for (const name of Object.keys(DEFAULT_TEXT) as OptionName[]) {
    const message = isShown(name, transport) ? fault(text, name) : undefined;
    if (message !== undefined) faults.push({ name, message });
  }
  return faults;
}

const DAY_MILLIS = 86_400_000;

function fault(text: OptionsText, name: OptionName): string | undefined {
  const value = text[name];
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  switch (name) {
    case 'requestLimit':
    case 'hardLimit':
      return limitFault(value);
    case 'retryLimit':
      return wholeFault(value, 1, 100);
    case 'roundLimit':
      return wholeFault(value, 1, 10_000);
    case 'meta':
      return metaFault(value);
    case 'proxy':
      return proxyFault(value);
    case 'caFile':
      return /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(value.trim())
        ? undefined
        : 'Enter the whole path of the file, from the root of the disk.';
    case 'folders':
      return folderFault(value);
    default:
      return undefined;
  }
}

function limitFault(text: string): string | undefined {
  const millis = readLimit(text);
  if (millis === undefined) return 'Enter a length of time, such as 90 s, 5 min or 1 h 30 min.';
  if (millis === 0) return 'Enter more than nothing; a request needs some time.';
  return millis > 30 * DAY_MILLIS ? 'Enter at most 720 h, which is 30 days.' : undefined;
}

function wholeFault(text: string, least: number, most: number): string | undefined {
  const value = whole(text);
  return value === undefined || value < least || value > most
    ? `Enter a whole number from ${least} to ${most}.`
    : undefined;
}

function metaFault(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return `This is not JSON: ${why}`;
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? undefined
    : 'Enter a JSON object, such as {"com.example/team": "search"}.';
}

function proxyFault(text: string): string | undefined {
  try {
    const { protocol, hostname } = new URL(text.trim());
    if (['http:', 'https:', 'socks5:'].includes(protocol) && hostname !== '') return undefined;
  } catch {
    // Said below.
  }
  return 'Enter the whole URL of the proxy: http://, https:// or socks5://, a host and a port.';
}

function folderFault(text: string): string | undefined {
  const wrong = foldersOf(text).find((line) => folderUri(line) === undefined);
  return wrong === undefined
    ? undefined
    : `“${wrong}” is no whole path. Enter paths from the root of the disk, or file: URIs, one on each line.`;
}

/** Whether a proxy's URL holds a password, which would stand in the catalog's file. */
export function hasPassword(proxy: string): boolean {
  try {
    return new URL(proxy.trim()).password !== '';
  } catch {
    return false;
  }
}

/** Milliseconds that hold now: as typed, or by default; undefined while the text is wrong. */
export function limitMillis(text: OptionsText, name: 'requestLimit' | 'hardLimit'): number | undefined {
  const typed = text[name].trim();
  if (typed !== '') return readLimit(typed);
  const { request_limit_millis, hard_limit_millis } = DEFAULT_SERVER_OPTIONS;
  return name === 'requestLimit' ? request_limit_millis : hard_limit_millis;
}

/** The era that a revision belongs to. */
export function eraOf(revision: string): 'modern' | 'legacy' {
  return revision >= '2026-07-28' ? 'modern' : 'legacy';
}

function orNull(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed;
}

function whole(text: string): number | undefined {
  return /^\d{1,9}$/.test(text.trim()) ? Number(text.trim()) : undefined;
}

function wholeOr(text: string, usual: number): number {
  return whole(text) ?? usual;
}
