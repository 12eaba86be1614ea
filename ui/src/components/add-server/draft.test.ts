import { describe, expect, it } from 'vitest';
import { DEFAULT_SERVER_OPTIONS } from '$lib/bindings/DefaultServerOptions';
import type { ServerDraft } from '$lib/bindings/ServerDraft';
import { looksSecret } from '$lib/text/secret';
import {
  argumentLines,
  commandLine,
  draftOf,
  emptyText,
  faultsOf,
  looksLikeWholeLine,
  newRow,
  placeOf,
  readArguments,
  readRows,
  suggestedName,
  textOf,
  type ServerText,
} from './draft';

const stdio = (change: Partial<ServerText>): ServerText => ({ ...emptyText(), ...change });
const http = (change: Partial<ServerText>): ServerText => ({ ...emptyText(), transport: 'http', ...change });

describe('arguments', () => {
  it.each([
    [['-y', 'some-server', '/a path/x']],
    [['', ' spaced ', 'two\nlines', '"quoted"', "it's", 'a "b" c', '\\n']],
    [[]],
  ])('%j go to lines and back', (args) => {
    expect(readArguments(argumentLines(args))).toEqual(args);
  });

  it('are shown plainly where they are plain', () => {
    expect(argumentLines(['-y', 'a b', ''])).toBe('-y\na b\n""');
  });

  it('are quoted in the command line', () => {
    expect(commandLine('npx', ['-y', 'a b', "it's", ''])).toBe("npx -y 'a b' 'it'\\''s' ''");
  });

  it('typed into the command are noticed', () => {
    expect(looksLikeWholeLine(stdio({ command: 'npx -y server' }))).toBe(true);
    expect(looksLikeWholeLine(stdio({ command: 'python server.py' }))).toBe(true);
    expect(looksLikeWholeLine(stdio({ command: '/opt/My Server/bin' }))).toBe(false);
    expect(looksLikeWholeLine(stdio({ command: 'C:\\Program Files\\x.exe' }))).toBe(false);
    expect(looksLikeWholeLine(stdio({ command: 'my server', args: '-y' }))).toBe(false);
  });
});

describe('drafts', () => {
  it('of a command come back as they were', () => {
    const draft: ServerDraft = {
      name: 'fs',
      endpoint: {
        transport: 'stdio',
        command: 'npx',
        args: ['-y', '@x/fs', '/a b'],
        env: [{ name: 'API_TOKEN', value: '', secret: true }],
        folder: '/tmp',
      },
      era: 'legacy',
      options: { ...DEFAULT_SERVER_OPTIONS, retry: 'ask', proxy: 'http://localhost:3128' },
    };
    const text = textOf(draft, true);
    expect(draftOf(text)).toEqual(draft);
    expect(text.env[0]?.isKept).toBe(true);
    expect(faultsOf(text)).toEqual([]);
  });

  it('of a URL come back as they were', () => {
    const draft: ServerDraft = {
      name: 'web',
      endpoint: {
        transport: 'http',
        url: 'https://example.com/mcp',
        headers: [{ name: 'X-A', value: '1', secret: false }],
      },
      era: 'auto',
      options: { ...DEFAULT_SERVER_OPTIONS, restart: 'never', log_level: 'info' },
    };
    expect(draftOf(textOf(draft, true))).toEqual(draft);
  });

  it('without options have the defaults', () => {
    expect(draftOf(http({ url: 'http://x' })).options).toEqual(DEFAULT_SERVER_OPTIONS);
  });

  it('leave out empty rows and an empty folder', () => {
    const draft = draftOf(stdio({ command: ' npx ', env: [newRow()], folder: ' ' }));
    expect(draft.endpoint).toEqual({ transport: 'stdio', command: 'npx', args: [], env: [], folder: null });
  });
});

describe('names', () => {
  it.each([
    [
      stdio({ command: 'npx', args: '-y\n@modelcontextprotocol/server-everything@1.2.0' }),
      'server-everything',
    ],
    [stdio({ command: 'uvx', args: 'mcp-server-git' }), 'mcp-server-git'],
    [stdio({ command: '/usr/bin/node', args: '/srv/weather/index.js' }), 'index'],
    [stdio({ command: 'C:\\tools\\weather.exe' }), 'weather'],
    [stdio({ command: 'docker', args: 'run\n-i\n--rm\nghcr.io/x/weather' }), 'weather'],
    [stdio({ command: '' }), ''],
    [http({ url: 'http://localhost:8080/mcp' }), 'localhost:8080'],
    [http({ url: 'nonsense' }), ''],
  ])('are suggested', (text, name) => {
    expect(suggestedName(text)).toBe(name);
    expect(draftOf(text).name).toBe(name);
  });
});

describe('secrets', () => {
  it.each([
    'Authorization',
    'API_KEY',
    'X-Api-Key',
    'GITHUB_TOKEN',
    'DB_PASSWORD',
    'openai_key',
    'Cookie',
    'APIKEY',
  ])('%s looks like one', (name) => expect(looksSecret(name)).toBe(true));
  it.each(['PATH', 'Accept', 'KEYBOARD', 'MONKEY', 'HOME', ''])('%s does not', (name) => {
    expect(looksSecret(name)).toBe(false);
  });
});

describe('rows that are pasted', () => {
  it('are read from a .env file', () => {
    const rows = readRows('# comment\nexport A="x y"\nAPI_KEY=k=1\n', 'stdio');
    expect(rows?.map(({ name, value, secret }) => [name, value, secret])).toEqual([
      ['A', 'x y', false],
      ['API_KEY', 'k=1', true],
    ]);
  });

  it('are read from header lines', () => {
    const rows = readRows('Authorization: Bearer abc\nX-Tenant: 7', 'http');
    expect(rows?.map(({ name, value, secret }) => [name, value, secret])).toEqual([
      ['Authorization', 'Bearer abc', true],
      ['X-Tenant', '7', false],
    ]);
  });

  it('are a name when they are nothing else', () => {
    expect(readRows('PATH', 'stdio')).toBeUndefined();
    expect(readRows('', 'http')).toBeUndefined();
  });
});

describe('what is missing', () => {
  it('is said at its field', () => {
    expect(faultsOf(stdio({})).map(({ place }) => place)).toEqual(['command']);
    expect(faultsOf(http({})).map(({ place }) => place)).toEqual(['url']);
    expect(faultsOf(http({ url: 'ftp://x' }))[0]?.message).toContain('not an http or https URL');
    expect(faultsOf(http({ url: 'https://x', name: 'a' }))).toEqual([]);
  });

  it('in an option names the option', () => {
    const text = http({ url: 'http://x', options: { ...emptyText().options, hardLimit: 'soon' } });
    expect(faultsOf(text)).toMatchObject([{ place: 'option', option: 'hardLimit' }]);
  });

  it('in a row names the row', () => {
    const nameless = newRow('', 'v');
    const secret = newRow('API_KEY', '');
    const twice = newRow('A', '2');
    const faults = faultsOf(stdio({ command: 'x', env: [nameless, secret, newRow('A', '1'), twice] }));
    expect(faults.map(({ row }) => row)).toEqual([nameless.id, secret.id, twice.id]);
  });

  it('header names are compared without case', () => {
    expect(
      faultsOf(http({ url: 'http://x', headers: [newRow('X-A', '1'), newRow('x-a', '2')] })),
    ).toHaveLength(1);
    expect(faultsOf(http({ url: 'http://x', headers: [newRow('X A', '1')] }))).toHaveLength(1);
  });
});

describe('refusals by the core', () => {
  const text = stdio({ env: [newRow('API_KEY', 'x')] });
  const refusal = (message: string) => placeOf({ code: 'bad_input', message, hint: 'Do so.' }, text).place;

  it('are shown where they belong', () => {
    expect(refusal('There is a server named "a" already.')).toBe('name');
    expect(refusal('The server has no name.')).toBe('name');
    expect(refusal('The command is empty.')).toBe('command');
    expect(refusal('"x" is not an http or https URL.')).toBe('url');
    expect(refusal('A variable has a value and no name.')).toBe('values');
    expect(
      placeOf({ code: 'bad_input', message: 'The secret value of API_KEY is empty.', hint: null }, text),
    ).toEqual({
      place: 'values',
      row: text.env[0]?.id,
      message: 'The secret value of API_KEY is empty.',
    });
    expect(placeOf({ code: 'failed', message: 'The disk is full.', hint: null }, text).place).toBe('form');
  });
});
