import { describe, expect, it } from 'vitest';
import { byteSize, count, duration, moment, plural, runningClock } from './quantity';

describe('duration', () => {
  it.each([
    [0, '0 µs'],
    [-5, '0 µs'],
    [850, '850 µs'],
    [999, '999 µs'],
    [1_000, '1.0 ms'],
    [9_949, '9.9 ms'],
    [9_950, '10 ms'],
    [38_000, '38 ms'],
    [999_499, '999 ms'],
    [999_500, '1.00 s'],
    [4_214_000, '4.21 s'],
    [9_996_000, '10.0 s'],
    [59_940_000, '59.9 s'],
    [59_960_000, '1 min 00 s'],
    [65_000_000, '1 min 05 s'],
    [3_599_600_000, '1 h 00 min'],
    [7_380_000_000, '2 h 03 min'],
  ])('%d µs is %s', (micros, text) => {
    expect(duration(micros)).toBe(text);
  });
});

describe('runningClock', () => {
  it('does not jump back and forth between forms', () => {
    expect(runningClock(-1)).toBe('0.0 s');
    expect(runningClock(449_000)).toBe('0.4 s');
    expect(runningClock(9_999_000)).toBe('9.9 s');
    expect(runningClock(12_900_000)).toBe('12 s');
    expect(runningClock(65_900_000)).toBe('1 min 05 s');
  });
});

describe('sizes and counts', () => {
  it('says bytes in binary units', () => {
    expect([0, 1023, 1024, 42_000, 1_048_576, 1_500_000].map(byteSize)).toEqual([
      '0 B',
      '1023 B',
      '1.0 KiB',
      '41 KiB',
      '1.0 MiB',
      '1.4 MiB',
    ]);
  });

  it('groups digits and counts in words', () => {
    expect(count(1_204_230)).toBe('1\u202f204\u202f230');
    expect(plural(1, 'new row')).toBe('1 new row');
    expect(plural(2, 'new row')).toBe('2 new rows');
  });
});

describe('moment', () => {
  const at = (...parts: [number, number, number, number, number]): number =>
    new Date(...parts).getTime() * 1000;

  it('says no more than is needed to find a session', () => {
    const now = new Date(2026, 10, 29, 18, 0);
    expect(moment(at(2026, 10, 29, 9, 5), now)).toBe('09:05');
    expect(moment(at(2026, 10, 28, 23, 59), now)).toBe('28 Nov 23:59');
    expect(moment(at(2025, 10, 29, 9, 5), now)).toBe('29 Nov 2025');
  });
});
