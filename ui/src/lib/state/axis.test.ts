import { beforeEach, describe, expect, it } from 'vitest';
import type { Host } from '$lib/host/host';
import { TimeAxis } from './axis.svelte';

const SECOND = 1_000_000;
/** What the visible rows need, with room at its end for what runs. */
const shown = { startMicros: 0, lengthMicros: 6 * SECOND };
const host: Pick<Host, 'rpc'> = {
  rpc: () => Promise.reject(new Error('the map is not asked for')),
};

describe('a chosen range', () => {
  let axis: TimeAxis;

  beforeEach(() => {
    axis = new TimeAxis(host as Host);
    axis.show(shown, { startMicros: 2 * SECOND, lengthMicros: 4 * SECOND });
  });

  const start = (): number | undefined => axis.range?.startMicros;

  it('that holds the latest moment goes along with it, in steps', () => {
    axis.keepUp(6 * SECOND);
    expect(start()).toBe(2 * SECOND);
    axis.keepUp(6 * SECOND + 1);
    expect(start()).toBe(3 * SECOND);
  });

  it('stays where one stepped back to, though the latest moment is still in it', () => {
    axis.pan({ startMicros: 2 * SECOND, lengthMicros: 4 * SECOND }, -0.2);
    const there = start() ?? 0;
    expect(there).toBeLessThan(2 * SECOND);
    axis.keepUp(20 * SECOND);
    expect(start()).toBe(there);
  });

  it('goes along again once one has stepped forward to the end', () => {
    axis.pan({ startMicros: 2 * SECOND, lengthMicros: 4 * SECOND }, -0.2);
    axis.pan({ startMicros: 1.2 * SECOND, lengthMicros: 4 * SECOND }, 0.2);
    axis.pan({ startMicros: 2 * SECOND, lengthMicros: 4 * SECOND }, 0.2);
    axis.keepUp(20 * SECOND);
    expect(start()).toBeGreaterThan(10 * SECOND);
  });
});
