import { describe, expect, it } from 'vitest';
import { between, momentLabel, panned, scaleWithin, showing, within, zoomed } from './axis';
import { roomyTicks } from './scale';
import { sessionMap } from './density';

const bounds = { startMicros: 1_000_000, endMicros: 11_000_000 };
const range = { startMicros: 3_000_000, lengthMicros: 4_000_000 };

describe('zoomed', () => {
  it('keeps the moment under the pointer where it is', () => {
    for (const at of [0, 0.25, 0.5, 1]) {
      const next = zoomed(range, at, 0.5, bounds);
      expect(next.lengthMicros).toBe(2_000_000);
      expect(next.startMicros + next.lengthMicros * at).toBeCloseTo(3_000_000 + 4_000_000 * at);
    }
  });

  it('goes no closer than bars can be told apart and no farther than the session', () => {
    let close = range;
    for (let step = 0; step < 100; step += 1) close = zoomed(close, 0.5, 0.5, bounds);
    expect(close.lengthMicros).toBe(20);
    let far = range;
    for (let step = 0; step < 100; step += 1) far = zoomed(far, 0.5, 2, bounds);
    expect(far.lengthMicros).toBe(12_500_000);
    expect(far.startMicros).toBeLessThan(bounds.startMicros);
    expect(far.startMicros + far.lengthMicros).toBeGreaterThan(bounds.endMicros);
  });

  it('is undone by its opposite', () => {
    const back = zoomed(zoomed(range, 0.3, 0.5, bounds), 0.3, 2, bounds);
    expect(back.startMicros).toBeCloseTo(range.startMicros);
    expect(back.lengthMicros).toBeCloseTo(range.lengthMicros);
  });
});

describe('panned', () => {
  it('moves by parts and stops beside the session', () => {
    expect(panned(range, 0.5, bounds).startMicros).toBe(5_000_000);
    expect(panned(range, -100, bounds).startMicros).toBe(-1_000_000);
    expect(panned(range, 100, bounds).startMicros).toBe(9_000_000);
  });
});

describe('within, between, showing', () => {
  it('bears a session of one moment', () => {
    const moment = { startMicros: 5, endMicros: 5 };
    const kept = within({ startMicros: -1e12, lengthMicros: 1e12 }, moment);
    expect(kept.lengthMicros).toBe(1250);
    expect(kept.startMicros).toBeLessThanOrEqual(5);
    expect(kept.startMicros + kept.lengthMicros).toBeGreaterThanOrEqual(5);
  });

  it('takes a marked stretch in either direction', () => {
    expect(between(range, 0.75, 0.25)).toEqual({ startMicros: 4_000_000, lengthMicros: 2_000_000 });
  });

  it('moves only for what is not seen', () => {
    expect(showing(range, 3_500_000, 4_000_000, bounds)).toBe(range);
    const moved = showing(range, 9_000_000, 9_200_000, bounds);
    expect(moved.startMicros).toBeLessThan(9_000_000);
    expect(moved.startMicros + moved.lengthMicros).toBeGreaterThan(9_200_000);
  });
});

describe('scaleWithin', () => {
  it('has ticks at round moments from the origin on', () => {
    const scale = scaleWithin({ startMicros: 1_230_000, lengthMicros: 200_000 }, 1_000_000, 5);
    expect(scale.ticks.map((tick) => tick.label)).toEqual(['250 ms', '300 ms', '350 ms', '400 ms']);
    expect(scale.ticks[0]?.at).toBeCloseTo(0.1);
  });

  it('says moments before the origin and far behind it', () => {
    const before = scaleWithin({ startMicros: 500_000, lengthMicros: 1_000_000 }, 1_000_000, 5);
    expect(before.ticks.map((tick) => tick.label)).toContain('-200 ms');
    expect(momentLabel(5_421_250_000, 50_000)).toBe('5421.25 s');
    expect(momentLabel(1_500, 200)).toBe('1.5 ms');
    expect(momentLabel(120, 20)).toBe('120 µs');
    expect(momentLabel(2_000_000, 1_000_000)).toBe('2 s');
  });

  it('never draws a label over the edge', () => {
    const scale = scaleWithin({ startMicros: 1_001_000, lengthMicros: 400_000 }, 1_000_000, 5);
    for (const tick of roomyTicks(scale.ticks, 300)) {
      expect(tick.at * 300 - tick.label.length * 3.25).toBeGreaterThan(-1);
      expect(tick.at * 300 + tick.label.length * 3.25).toBeLessThan(301);
    }
  });
});

describe('sessionMap', () => {
  it('places buckets by time and marks errors', () => {
    const map = sessionMap(
      { start_micros: 0, last_micros: 4000, bucket_micros: 1000, events: [4, 0, 0, 1], errors: [0, 0, 0, 1] },
      0,
    );
    expect(map?.errors).toEqual([0.875]);
    expect(map?.outline).toBe('M0 1L0 0L0.25 0L0.25 1L0.5 1L0.5 1L0.75 1L0.75 0.5L1 0.5L1 1Z');
  });

  it('reaches until now while something runs, and is nothing without events', () => {
    const density = { start_micros: 0, last_micros: 0, bucket_micros: 100, events: [1], errors: [0] };
    expect(sessionMap(density, 10_000)?.endMicros).toBe(10_000);
    expect(sessionMap({ ...density, events: [], errors: [] }, 5)).toBeUndefined();
  });
});
