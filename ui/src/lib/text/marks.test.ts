import { describe, expect, it } from 'vitest';
import { markerOf } from './marks';

const marked = (text: string, ...searched: string[]): string[] => {
  const marker = markerOf(searched.map((one) => ({ text: one, ignores_case: one === one.toLowerCase() })));
  return (marker?.(text) ?? []).map(([from, to]) => text.slice(from, to));
};

describe('marks', () => {
  it('are where a text stands, whatever its case when it has no capitals', () => {
    expect(marked('Lucia, lucia, LUCIA', 'lucia')).toEqual(['Lucia', 'lucia', 'LUCIA']);
    expect(marked('Lucia, lucia', 'Lucia')).toEqual(['Lucia']);
  });

  it('know how JSON escapes', () => {
    expect(marked('"caf\\u00e9" café cafe\u0301 caf\\u00E9', 'café')).toHaveLength(4);
    expect(marked('https:\\/\\/a https://a', 'https://a')).toEqual(['https:\\/\\/a', 'https://a']);
    expect(marked('{\\"a\\":1}', '"a"')).toEqual(['\\"a\\"']);
    expect(marked('"a":   1', '"a": 1')).toEqual(['"a":   1']);
  });

  it('take characters as they are', () => {
    expect(marked('a.b a+b (a|b)', 'a.b', '(a|b)')).toEqual(['a.b', '(a|b)']);
    expect(marked('😀', '😀')).toEqual(['😀']);
  });

  it('that touch are one, and there are not endlessly many', () => {
    expect(marked('ababa', 'ab', 'ba')).toEqual(['ababa']);
    expect(markerOf([{ text: 'a', ignores_case: true }])?.('a '.repeat(5000))).toHaveLength(1000);
  });

  it('are none without a text', () => {
    expect(markerOf([])).toBeUndefined();
    expect(markerOf([{ text: '', ignores_case: true }])).toBeUndefined();
  });
});
