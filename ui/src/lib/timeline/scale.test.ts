import { describe, expect, it } from 'vitest';
import { row } from './rows.fixture';
import { barOf, roomyTicks, roundStep, sameScale, scaleOf } from './scale';

const at = (start: number, end: number | null): ReturnType<typeof row> =>
  row(0, { start_micros: start, end_micros: end });

describe('roomyTicks', () => {
  const ticks = scaleOf([at(0, 100_000)], 0, 5)?.ticks ?? [];
  const labels = (pixels: number): string[] => roomyTicks(ticks, pixels).map((tick) => tick.label);

  it('keeps all where there is room, then the outer ones, then the last', () => {
    expect(labels(400)).toEqual(['0 ms', '20 ms', '40 ms', '60 ms', '80 ms', '100 ms']);
    expect(labels(80)).toEqual(['0 ms', '100 ms']);
    expect(labels(60)).toEqual(['100 ms']);
    expect(labels(20)).toEqual([]);
  });

  it('never lets two labels touch, on an axis of any width', () => {
    for (let pixels = 10; pixels < 500; pixels += 1) {
      const kept = roomyTicks(ticks, pixels);
      const used = kept.reduce((sum, tick) => sum + tick.label.length * 6.5, 0);
      expect(used + 8 * (kept.length - 1)).toBeLessThanOrEqual(Math.max(pixels, 8 * (kept.length - 1)));
    }
  });

  it('of nothing is nothing', () => expect(roomyTicks([], 300)).toEqual([]));
});

describe('scaleOf', () => {
  it('has round ticks that cover the rows', () => {
    const scale = scaleOf([at(1_000_000, 1_012_000), at(1_400_000, 4_900_000)], 0);
    expect(scale?.startMicros).toBe(1_000_000);
    expect(scale?.lengthMicros).toBe(4_000_000);
    expect(scale?.ticks.map((tick) => tick.label)).toEqual(['0 s', '1 s', '2 s', '3 s', '4 s']);
    expect(scale?.ticks.map((tick) => tick.at)).toEqual([0, 0.25, 0.5, 0.75, 1]);
  });

  it('reaches until now while something runs, on an axis that stands still', () => {
    const rows = [at(1_000_000, null)];
    const early = scaleOf(rows, 3_100_000);
    const later = scaleOf(rows, 3_400_000);
    expect(early?.lengthMicros).toBe(2_500_000);
    expect(sameScale(early, later)).toBe(true);
    expect(sameScale(early, scaleOf(rows, 6_500_000))).toBe(false);
  });

  it('has fewer steps where there is little room', () => {
    expect(scaleOf([at(0, 4_000_000)], 0, 2)?.ticks.map((tick) => tick.label)).toEqual(['0 s', '2 s', '4 s']);
  });

  it('has no scale without rows, and one for a single moment', () => {
    expect(scaleOf([], 0)).toBeUndefined();
    expect(scaleOf([undefined], 0)).toBeUndefined();
    expect(scaleOf([at(5, 5)], 0)?.lengthMicros).toBe(100);
  });

  it('finds a round step for any length', () => {
    for (let length = 1; length < 1e13; length *= 1.7) {
      const step = roundStep(length);
      expect(length / step).toBeLessThanOrEqual(5);
      expect(Number.isInteger(step)).toBe(true);
    }
  });
});

describe('barOf', () => {
  const scale = { startMicros: 1000, lengthMicros: 1000, ticks: [] };

  it('places a bar in parts of the width', () => {
    expect(barOf({ kind: 'server', start_micros: 1250, end_micros: 1500 }, scale, 0)).toEqual({
      left: 0.25,
      width: 0.25,
    });
  });

  it('lets an open bar reach until now, and cuts at the edges', () => {
    expect(barOf({ kind: 'user', start_micros: 1500, end_micros: null }, scale, 1750)).toEqual({
      left: 0.5,
      width: 0.25,
    });
    expect(barOf({ kind: 'user', start_micros: 500, end_micros: 9000 }, scale, 0)).toEqual({
      left: 0,
      width: 1,
    });
    expect(barOf({ kind: 'user', start_micros: 2500, end_micros: 2600 }, scale, 0)).toBeUndefined();
    expect(barOf({ kind: 'user', start_micros: 100, end_micros: 200 }, scale, 0)).toBeUndefined();
  });

  it('never has a negative width when clocks disagree', () => {
    expect(barOf({ kind: 'server', start_micros: 1500, end_micros: null }, scale, 1400)?.width).toBe(0);
  });
});
