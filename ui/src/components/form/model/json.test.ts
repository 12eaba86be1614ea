import { describe, expect, it } from 'vitest';
import { compact, describeProblem, get, layout, readJson, repeatedName, type JsonNode } from './json';
import { follow, joinPointer, splitPointer } from './pointer';

function node(text: string): JsonNode {
  const reading = readJson(text);
  if (!reading.ok) throw new Error(describeProblem(reading.problem));
  return reading.node;
}

function problem(text: string): string {
  const reading = readJson(text);
  return reading.ok ? 'it was read' : describeProblem(reading.problem);
}

describe('reading JSON', () => {
  it.each([
    '9007199254740993',
    '123456789012345678901234567890',
    '1.10',
    '-0',
    '1e400',
    '1E+2',
    '"\\u00e9\\/"',
    '{"b":1,"2":2,"a":3,"1":4}',
    '{"a":1,"a":2}',
    '{"__proto__":{"x":1}}',
    '[[],{},null,true,false,""]',
  ])('keeps %s as it is written', (text) => {
    expect(compact(node(` ${text}\n`))).toBe(text);
  });

  it('gives strings their meaning', () => {
    expect(node('"a\\n\\u00e9\\ud83d\\ude00"')).toMatchObject({ kind: 'string', value: 'a\né😀' });
  });

  it('takes the last of equal names, and knows that there are two', () => {
    expect(get(node('{"a":1,"a":2}'), 'a')).toMatchObject({ digits: '2' });
    expect(repeatedName(node('{"x":[{"a":1,"b":2,"a":3}]}'))).toBe('a');
    expect(repeatedName(node('{"x":{"a":1},"y":{"a":1}}'))).toBeUndefined();
  });

  it('lays out over lines with every token as it was', () => {
    expect(layout(node('{"a":[1.10,{}],"b":{"c":"\\u0041"},"d":[]}'))).toBe(
      '{\n  "a": [\n    1.10,\n    {}\n  ],\n  "b": {\n    "c": "\\u0041"\n  },\n  "d": []\n}',
    );
  });

  it.each([
    ['', 'Line 1, column 1: There is no JSON here yet.'],
    ['{\n  "a": 1,\n}', 'Line 3, column 1: There is a comma before “}”; remove it.'],
    ['[1, 2', 'Line 1, column 1: This list is not closed: “]” is missing.'],
    ['[1 2]', 'Line 1, column 4: A comma or “]” is expected here, not “2”.'],
    ['{oops', 'Line 1, column 2: A name in double quotes is expected here, not “o”.'],
    ['{"a" 1}', 'Line 1, column 6: A colon is expected after "a", not “1”.'],
    ['{"a": }', 'Line 1, column 7: A value is expected here, not “}”.'],
    ['"abc', 'Line 1, column 1: This string is not closed: a double quote is missing.'],
    [
      '"a\nb"',
      'Line 1, column 3: A string cannot run over a line end; write \\n, or close it with a double quote.',
    ],
    ['"\\x"', 'Line 1, column 2: JSON has no such escape; write \\\\ for a backslash.'],
    ['"\\u12"', 'Line 1, column 2: \\u needs four hex digits.'],
    ['01', 'Line 1, column 1: “01” is not a number as JSON writes it.'],
    ['True', 'Line 1, column 1: “True” is not JSON; write true, false or null.'],
    ['NaN', 'Line 1, column 1: JSON has no NaN.'],
    ["'a'", 'Line 1, column 1: JSON strings stand in double quotes, not in single ones.'],
    ['// x', 'Line 1, column 1: JSON has no comments.'],
    ['hello', 'Line 1, column 1: “hello” is not a JSON value; text stands in double quotes.'],
    ['{} {}', 'Line 1, column 4: The JSON ends before “{”; only white space may follow.'],
    ['["😀", x]', 'Line 1, column 7: “x” is not a JSON value; text stands in double quotes.'],
  ])('says where and what is wrong with %j', (text, message) => {
    expect(problem(text)).toBe(message);
  });

  it('refuses hostile depth with a message instead of running out of stack', () => {
    expect(problem('['.repeat(100_000))).toContain('Nested more than 500 levels deep.');
  });

  it('reads a long text in reasonable time', () => {
    const text = `[${Array.from({ length: 20_000 }, (_, index) => `{"n":${index}}`).join(',')}]`;
    const start = performance.now();
    expect(compact(node(text))).toBe(text);
    expect(performance.now() - start).toBeLessThan(3000);
  });
});

describe('JSON pointers', () => {
  it('escape and unescape', () => {
    expect(joinPointer('', 'a/b~c')).toBe('/a~1b~0c');
    expect(splitPointer('/a~1b~0c/0')).toEqual(['a/b~c', '0']);
  });

  it('lead to nodes', () => {
    const root = node('{"a":[{"b/c":5}]}');
    expect(follow(root, '/a/0/b~1c')).toMatchObject({ digits: '5' });
    expect(follow(root, '')).toBe(root);
    expect(follow(root, '/a/1')).toBeUndefined();
    expect(follow(root, '/a/x/y')).toBeUndefined();
  });
});
