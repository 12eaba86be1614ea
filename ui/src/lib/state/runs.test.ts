import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallOutcome } from '$lib/bindings/CallOutcome';
import { Call, Memory } from './runs.svelte';

const OUTCOME: CallOutcome = {
  operation: 1,
  result: { kind: 'cancelled' },
  total_micros: 1,
  server_micros: 1,
  user_micros: 0,
  time_micros: 0,
  from_cache_micros: null,
};

describe('what is drawn of a tool’s calls', () => {
  let memory: Memory;
  const call = (id: number): Call => {
    const begun = new Call(id, 0);
    memory.begin(begun);
    return begun;
  };
  const shown = (): number[] => memory.shown.map(({ id }) => id);

  beforeEach(() => {
    vi.useFakeTimers();
    memory = new Memory();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('a quick call takes the place of the one before only with its end', () => {
    call(1).outcome = OUTCOME;
    const second = call(2);
    expect(shown()).toEqual([1]);
    second.outcome = OUTCOME;
    expect(shown()).toEqual([2]);
    vi.runAllTimers();
    expect(shown()).toEqual([2]);
  });

  it('a slow call is shown to be running, and the one before goes', () => {
    call(1).outcome = OUTCOME;
    call(2);
    vi.runAllTimers();
    expect(shown()).toEqual([2]);
  });

  it('one that ends while a later one runs stays in sight beside it', () => {
    const first = call(1);
    vi.runAllTimers();
    call(2);
    vi.runAllTimers();
    expect(shown()).toEqual([2, 1]);
    first.outcome = OUTCOME;
    expect(shown()).toEqual([2, 1]);
    call(3).outcome = OUTCOME;
    expect(shown()).toEqual([3, 2]);
  });

  it('many quick calls keep no more than the last that ended', () => {
    for (let id = 1; id <= 5; id += 1) call(id).outcome = OUTCOME;
    expect(memory.calls.length).toBeLessThanOrEqual(2);
    expect(shown()).toEqual([5]);
  });
});
