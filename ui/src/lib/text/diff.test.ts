import { describe, expect, it } from 'vitest';
import { changeCount, diffLines } from './diff';

/** Each line with its mark; what was replaced is one line. */
function drawn(left: string, right: string): string[] {
  return diffLines(left, right).map((line) =>
    line.kind === 'same' ? `  ${line.left}` : `- ${line.left ?? '·'} + ${line.right ?? '·'}`,
  );
}

describe('a comparison', () => {
  it('finds what was added, removed and replaced', () => {
    expect(drawn('a\nb\nc', 'a\nb\nc')).toEqual(['  a', '  b', '  c']);
    expect(drawn('a\nb\nc', 'a\nx\nc')).toEqual(['  a', '- b + x', '  c']);
    expect(drawn('a\nb', 'a\nnew\nb')).toEqual(['  a', '- · + new', '  b']);
    expect(drawn('a\nold\nb\nc\nd', 'a\nb\nc\nnew\nd')).toEqual([
      '  a',
      '- old + ·',
      '  b',
      '  c',
      '- · + new',
      '  d',
    ]);
    expect(drawn('', 'a')).toEqual(['-  + a']);
  });

  it('loses no line of either side, whatever they are', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 48271) % 2147483647;
      return seed % below;
    };
    for (let round = 0; round < 300; round += 1) {
      const text = (): string => Array.from({ length: random(14) }, () => 'abc'[random(3)]).join('\n');
      const [left, right] = [text(), text()];
      const lines = diffLines(left, right);
      const side = (of: 'left' | 'right'): string =>
        lines.flatMap((line) => (line[of] === undefined ? [] : [line[of]])).join('\n');
      expect(side('left')).toBe(left);
      expect(side('right')).toBe(right);
      for (const line of lines) if (line.kind === 'same') expect(line.left).toBe(line.right);
      if (left === right) expect(changeCount(lines)).toBe(0);
    }
  });

  it('of large texts that share nothing is one block of change', () => {
    const text = (word: string): string =>
      Array.from({ length: 20_000 }, (_, at) => `${word} ${at}`).join('\n');
    expect(changeCount(diffLines(text('a'), text('b')))).toBe(20_000);
  });
});
