import { describe, expect, it } from 'vitest';
import { tokens } from './tokens';

describe('tokens', () => {
  it('tells keys from strings, and numbers from words', () => {
    expect(tokens('  "a": "b", "n": -1.50e+3, "t": true, "z": null')).toEqual([
      { kind: 'plain', text: '  ' },
      { kind: 'key', text: '"a"' },
      { kind: 'plain', text: ':' },
      { kind: 'plain', text: ' ' },
      { kind: 'string', text: '"b"' },
      { kind: 'plain', text: ', ' },
      { kind: 'key', text: '"n"' },
      { kind: 'plain', text: ':' },
      { kind: 'plain', text: ' ' },
      { kind: 'number', text: '-1.50e+3' },
      { kind: 'plain', text: ', ' },
      { kind: 'key', text: '"t"' },
      { kind: 'plain', text: ':' },
      { kind: 'plain', text: ' ' },
      { kind: 'word', text: 'true' },
      { kind: 'plain', text: ', ' },
      { kind: 'key', text: '"z"' },
      { kind: 'plain', text: ':' },
      { kind: 'plain', text: ' ' },
      { kind: 'word', text: 'null' },
    ]);
  });

  it.each([
    '"unclosed \\" string',
    'not json at all <script>alert(1)</script>',
    '"\\\\"',
    '{"a":{"b":[1,2,12345678901234567890]}}',
    '',
    '"'.repeat(50),
  ])('loses nothing of %j', (line) => {
    expect(
      tokens(line)
        .map((token) => token.text)
        .join(''),
    ).toBe(line);
  });

  it('does not stall on hostile text', () => {
    const began = performance.now();
    tokens(`"${'\\'.repeat(19_998)}`);
    tokens('"a" '.repeat(5_000));
    expect(performance.now() - began).toBeLessThan(500);
  });
});
