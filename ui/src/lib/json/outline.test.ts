import { describe, expect, it } from 'vitest';
import { childrenOf, findIn, readString, valueText } from './outline';
import { lineTokens } from './lines';
import { textSource } from './source';
import { JsonTree } from './tree.svelte';

const JSON_TEXT = '{"a/b": [1.10, 12345678901234567890, {"x~": null}], "a/b": "\\u00e9", "e": {}, "s": [] }';

describe('the outline of a text', () => {
  it('keeps digits, duplicates and order', () => {
    const root = childrenOf(JSON_TEXT, null, 0, 1).children[0];
    expect(root).toMatchObject({ kind: 'object', child_count: 4, key: null });
    const { children } = childrenOf(JSON_TEXT, 0, 0, 10);
    expect(children.map((one) => [one.key, one.kind, one.child_count])).toEqual([
      ['a/b', 'array', 3],
      ['a/b', 'string', 0],
      ['e', 'object', 0],
      ['s', 'array', 0],
    ]);
    const items = childrenOf(JSON_TEXT, children[0]?.at ?? 0, 0, 10).children;
    expect(items.map((one) => one.text)).toEqual(['1.10', '12345678901234567890', '']);
    expect(valueText(JSON_TEXT, items[2]?.at ?? 0)).toBe('{"x~": null}');
  });

  it('finds keys and values, as they came and as they are read', () => {
    expect(findIn(JSON_TEXT, 'É').total).toBe(1);
    expect(findIn(JSON_TEXT, '890').hits[0]?.way.map((step) => step.index)).toEqual([0, 1]);
    expect(findIn(JSON_TEXT, 'X~').total).toBe(1);
    expect(findIn(JSON_TEXT, '').total).toBe(0);
  });

  it('bears what is no JSON', () => {
    for (const text of ['', '{', '[1,', '{"a"', '"\\', ']]', '{,}', 'nul'])
      expect(() => [
        childrenOf(text, null, 0, 9),
        childrenOf(text, 0, 0, 9),
        findIn(text, 'a'),
      ]).not.toThrow();
    expect(readString('"\\ud800"')).not.toBe('');
  });
});

describe('lineTokens', () => {
  it('colours a line that goes on within a string', () => {
    expect(lineTokens('rest\\" of it", 5', true)).toEqual([
      { kind: 'string', text: 'rest\\" of it"' },
      { kind: 'plain', text: ', ' },
      { kind: 'number', text: '5' },
    ]);
  });
});

describe('JsonTree', () => {
  const names = (tree: JsonTree): string[] =>
    Array.from({ length: tree.length }, (_, at) => tree.row(at)).map(
      (row) => `${'.'.repeat(row.depth)}${row.node?.key ?? row.index}${row.isOpen ? ' open' : ''}`,
    );

  it('unfolds, folds, and knows each path', async () => {
    const tree = new JsonTree(textSource(JSON_TEXT));
    await tree.start();
    expect(names(tree)).toEqual([
      '0 open',
      '.a/b open',
      '..0',
      '..1',
      '..2 open',
      '...x~',
      '.a/b',
      '.e',
      '.s',
    ]);
    expect(tree.pointer(5)).toBe('/a~1b/2/x~0');
    expect(tree.pointer(0)).toBe('');
    expect(tree.parentOf(5)).toBe(4);
    expect(await tree.value(3)).toBe('12345678901234567890');
    await tree.toggle(1);
    expect(names(tree)).toEqual(['0 open', '.a/b', '.a/b', '.e', '.s']);
    tree.foldAll();
    expect(tree.length).toBe(5);
  });

  it('goes to what was found, deep in a long list', async () => {
    const text = `{"list":[${Array.from({ length: 5000 }, (_, at) => `{"n":${at}}`).join(',')}]}`;
    const tree = new JsonTree(textSource(text));
    await tree.start();
    const { hits } = await tree.find('4321');
    const row = await tree.reveal(hits[0]?.way ?? []);
    expect(row).toBe(2 + 4321 + 1);
    expect(tree.pointer(row ?? 0)).toBe('/list/4321/n');
    expect(tree.length).toBe(1 + 1 + 5000 + 1);
  });

  it('shows a scalar alone', async () => {
    const tree = new JsonTree(textSource(' 1e400 '));
    await tree.start();
    expect(tree.length).toBe(1);
    expect(tree.row(0).node?.text).toBe('1e400');
  });
});
