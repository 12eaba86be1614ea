import { describe, expect, it } from 'vitest';
import { fromPicker, pickerFor, toPicker } from './moment';

describe('native pickers', () => {
  it('are there for dates and for moments', () => {
    expect([undefined, 'date', 'date-time', 'time', 'email'].map(pickerFor)).toEqual([
      undefined,
      'date',
      'datetime-local',
      undefined,
      undefined,
    ]);
  });

  it('give a date as it is', () => {
    expect(fromPicker('date', '2026-12-04')).toBe('2026-12-04');
    expect(toPicker('date', '2026-12-04')).toBe('2026-12-04');
    expect(toPicker('date', 'soon')).toBe('');
  });

  it('give a moment with its offset, and come back to the same one', () => {
    const text = fromPicker('datetime-local', '2026-12-04T19:30');
    expect(text).toMatch(/^2026-12-04T19:30:00[+-]\d\d:\d\d$/);
    expect(new Date(text).getTime()).toBe(new Date('2026-12-04T19:30').getTime());
    expect(toPicker('datetime-local', text)).toBe('2026-12-04T19:30:00');
    expect(toPicker('datetime-local', '')).toBe('');
    expect(toPicker('datetime-local', 'tomorrow')).toBe('');
    expect(fromPicker('datetime-local', '')).toBe('');
  });
});
