import { describe, expect, it } from 'vitest';
import { wrap } from './wrap';

function drawn(text: string, columns: number): string[] {
  const wrapped = wrap(text, columns);
  return Array.from({ length: wrapped.count }, (_, index) => {
    const { logical, from, to } = wrapped.line(index);
    return wrapped.logical(logical).slice(from, to);
  });
}

describe('wrap', () => {
  it('keeps short lines, also empty ones', () => {
    expect(drawn('{\n\n}', 40)).toEqual(['{', '', '}']);
    expect(drawn('', 40)).toEqual(['']);
  });

  it('breaks long lines and loses nothing', () => {
    const text = `${'x'.repeat(45)}\nend`;
    expect(drawn(text, 20)).toEqual(['x'.repeat(20), 'x'.repeat(20), 'x'.repeat(5), 'end']);
    expect(wrap(text, 20).line(1)).toMatchObject({ logical: 0, continued: true });
  });

  it('does not break a surrogate pair', () => {
    const text = `${'x'.repeat(19)}🍝${'y'.repeat(20)}`;
    const parts = drawn(text, 20);
    expect(parts.join('')).toBe(text);
    expect(parts[0]).toBe(`${'x'.repeat(19)}🍝`);
  });

  it('finds a line in a large text at once', () => {
    const text = Array.from({ length: 200_000 }, (_, line) => `line ${line}`).join('\n');
    const wrapped = wrap(text, 80);
    expect(wrapped.count).toBe(200_000);
    expect(wrapped.line(123_456)).toMatchObject({ logical: 123_456, from: 0, to: 11 });
  });
});
