import { describe, expect, it } from 'vitest';
import { DEFAULT_SERVER_OPTIONS } from '$lib/bindings/DefaultServerOptions';
import type { ServerOptions } from '$lib/bindings/ServerOptions';
import { folderLine, folderUri } from '$lib/text/folders';
import { limitText, readLimit } from './limit';
import {
  changedOptions,
  DEFAULT_TEXT,
  eraOf,
  hasPassword,
  optionFaults,
  optionsOf,
  optionsText,
  type OptionName,
  type OptionsText,
} from './text';

const text = (part: Partial<OptionsText>): OptionsText => ({ ...DEFAULT_TEXT, ...part });

/** Every option differs from its default. */
const everything: ServerOptions = {
  revision: '2025-06-18',
  http: 'sse',
  request_limit_millis: 90_500,
  progress_resets_limit: false,
  hard_limit_millis: 5_400_000,
  retry: 'automatic',
  retry_limit: 7,
  round_limit: 4,
  restart: 'at_once',
  cache: false,
  page_by_page: true,
  record: false,
  advertise: { elicitation_form: false, elicitation_url: false, sampling: false, roots: true, tasks: false },
  log_level: 'warning',
  meta: '{"com.example/id": 12345678901234567890}',
  traceparent: true,
  proxy: 'socks5://localhost:1080',
  ca_file: '/etc/ssl/own.pem',
  roots: ['file:///home/ana/my%20project', 'file:///C:/work', 'file://host/a%2Fb'],
  // Set in the sign-in view, and left alone here.
  sign_in: DEFAULT_SERVER_OPTIONS.sign_in,
};

describe('a length of time', () => {
  it.each([
    [0, '0 s'],
    [250, '250 ms'],
    [90_000, '1 min 30 s'],
    [300_000, '5 min'],
    [5_400_000, '1 h 30 min'],
    [90_061_001, '25 h 1 min 1 s 1 ms'],
  ])('of %d ms is %s, and back', (millis, words) => {
    expect(limitText(millis)).toBe(words);
    expect(readLimit(words)).toBe(millis);
  });

  it.each([
    ['90', 90_000],
    ['1.5', 1500],
    ['1,5 s', 1500],
    ['2h', 7_200_000],
    ['1h30m', 5_400_000],
    ['10 Minutes', 600_000],
    [' 3 sec ', 3000],
  ])('%j is read', (words, millis) => expect(readLimit(words)).toBe(millis));

  it.each(['', 'soon', '5 parsecs', '-3', '5 min and more', '1 2', '1e3'])('%j is refused', (words) => {
    expect(readLimit(words)).toBeUndefined();
  });
});

describe('a folder', () => {
  it.each([
    ['/home/ana/my project', 'file:///home/ana/my%20project'],
    ['/', 'file:///'],
    ['/50%/a#b?c', 'file:///50%25/a%23b%3Fc'],
    ['/日本', 'file:///%E6%97%A5%E6%9C%AC'],
    ['C:\\Program Files\\x', 'file:///C:/Program%20Files/x'],
  ])('%s is %s, and back', (path, uri) => {
    expect(folderUri(path)).toBe(uri);
    expect(folderLine(uri)).toBe(path);
  });

  it('that is a URI stays as it is, also where a path would say something else', () => {
    for (const uri of ['file://host/share', 'file:///a%2fb', 'file:///a%', 'file:///a%0Ab', 'file:///a+b']) {
      expect(folderUri(folderLine(uri))).toBe(uri);
    }
    expect(folderUri('\\\\host\\share\\a b')).toBe('file://host/share/a%20b');
  });

  it.each(['home/ana', '~/x', 'https://x/y', 'file:relative', 'C:x', ''])('%j is refused', (line) => {
    expect(folderUri(line)).toBeUndefined();
  });
});

describe('options', () => {
  it.each(['stdio', 'http'] as const)('come back as they were, over %s', (transport) => {
    expect(optionsOf(optionsText(everything), everything, transport)).toEqual(everything);
    expect(optionsOf({ ...DEFAULT_TEXT }, DEFAULT_SERVER_OPTIONS, transport)).toEqual(DEFAULT_SERVER_OPTIONS);
  });

  it('that this form does not know are kept', () => {
    const newer = { ...everything, colour: 'blue', advertise: { ...everything.advertise, smell: true } };
    expect(optionsOf(optionsText(newer), newer, 'http')).toEqual(newer);
  });

  it('of the other transport stay as they were', () => {
    const changed = { ...optionsText(everything), proxy: 'nonsense', http: 'auto' as const };
    expect(optionFaults(changed, 'stdio')).toEqual([]);
    expect(optionsOf(changed, everything, 'stdio')).toMatchObject({ proxy: everything.proxy, http: 'sse' });
    expect(optionsOf(changed, everything, 'http')).toMatchObject({ http: 'auto' });
  });

  it('changed are counted by what they mean', () => {
    expect([...changedOptions(text({}), 'http')]).toEqual([]);
    const same = text({
      requestLimit: '300 s',
      hardLimit: '60min',
      retryLimit: '03',
      roundLimit: '20',
      meta: ' ',
    });
    expect([...changedOptions(same, 'http')]).toEqual([]);
    expect(
      [...changedOptions(text({ requestLimit: '301', cache: false, meta: '{' }), 'http')].sort(),
    ).toEqual(['cache', 'meta', 'requestLimit']);
    const all = Object.keys(DEFAULT_TEXT).length;
    expect(changedOptions(optionsText(everything), 'http').size).toBe(all - 1);
    expect(changedOptions(optionsText(everything), 'stdio').size).toBe(all - 3);
  });

  it('emptied are the default again', () => {
    const emptied = { ...optionsText(everything), requestLimit: ' ', retryLimit: '', proxy: '', meta: '\n' };
    expect(optionsOf(emptied, everything, 'http')).toMatchObject({
      request_limit_millis: 300_000,
      retry_limit: 3,
      proxy: null,
      meta: null,
    });
  });
});

describe('wrong input', () => {
  const complaint = (name: OptionName, value: string): string | undefined => {
    const faults = optionFaults(text({ [name]: value }), 'http');
    expect(faults.every((fault) => fault.name === name)).toBe(true);
    return faults[0]?.message;
  };

  it.each([
    ['requestLimit', 'soon', /such as 90 s, 5 min/],
    ['requestLimit', '0', /more than nothing/],
    ['hardLimit', '900 h', /at most 720 h/],
    ['retryLimit', '0', /whole number from 1 to 100/],
    ['retryLimit', '2.5', /whole number/],
    ['roundLimit', '-1', /whole number from 1/],
    ['meta', '{"a":', /not JSON/],
    ['meta', '[1]', /JSON object/],
    ['meta', 'null', /JSON object/],
    ['proxy', 'localhost:3128', /whole URL/],
    ['proxy', 'ftp://x', /http:\/\/, https:\/\/ or socks5:\/\//],
    ['proxy', 'socks5://', /whole URL/],
    ['caFile', 'own.pem', /whole path/],
    ['folders', '/ok\nsrc', /“src” is no whole path/],
  ] as const)('in %s: %j is told in plain words', (name, value, words) => {
    expect(complaint(name, value)).toMatch(words);
  });

  it.each([
    ['meta', '{}'],
    ['proxy', 'socks5://user:word@localhost:1080'],
    ['caFile', 'C:\\certs\\own.pem'],
    ['folders', '/a\n\nfile:///b\n'],
    ['requestLimit', '720h'],
  ] as const)('is not seen in %s: %j', (name, value) => expect(complaint(name, value)).toBeUndefined());
});

it('a password in a proxy is noticed', () => {
  expect(hasPassword('http://ana:word@proxy:80')).toBe(true);
  expect(hasPassword('http://ana@proxy:80')).toBe(false);
  expect(hasPassword('http://')).toBe(false);
});

it('a revision has its era', () => {
  expect(['2024-11-05', '2025-11-25', '2026-07-28', '2027-01-01'].map(eraOf)).toEqual([
    'legacy',
    'legacy',
    'modern',
    'modern',
  ]);
});
