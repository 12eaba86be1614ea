import { describe, expect, it } from 'vitest';
import { readJson } from './json';
import { resolve } from './resolve';

describe('resolve', () => {
  it('gives up on parts that double with every level, soon', () => {
    const levels = Array.from({ length: 40 }, (_, at) => {
      const next = { $ref: `#/$defs/n${at + 1}` };
      return [`n${at}`, { allOf: [next, next] }] as const;
    });
    const $defs = { ...Object.fromEntries(levels), n40: { type: 'object' } };
    const reading = readJson(JSON.stringify({ $ref: '#/$defs/n0', $defs }));
    if (!reading.ok) throw new Error(reading.problem.message);
    expect(resolve(reading.node, reading.node, [])).toEqual({
      ok: false,
      reason: 'Its references go on and on.',
    });
  });
});
