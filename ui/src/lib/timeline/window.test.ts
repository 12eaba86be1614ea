import { describe, expect, it } from 'vitest';
import { patch, row } from './rows.fixture';
import {
  NO_ROWS,
  needsLook,
  patched,
  placeOf,
  rowAt,
  ROW_HEIGHT,
  scrollToShow,
  TALLEST,
  viewport,
  wanted,
} from './window';

describe('patched', () => {
  it('takes a whole window', () => {
    const window = patched(NO_ROWS, patch(40, [row(40), row(41)]));
    expect(window.start).toBe(40);
    expect(rowAt(window, 41)?.key).toBe('o41');
    expect(rowAt(window, 42)).toBeUndefined();
    expect(placeOf(window, 'o41')).toBe(41);
    expect(placeOf(window, 'o7')).toBeUndefined();
  });

  it('changes only the rows that changed', () => {
    const before = patched(NO_ROWS, patch(0, [row(0), row(1), row(2)]));
    const changed = row(1, { state: 'error' });
    const after = patched(before, {
      ...patch(0, [], { len: 3, total_rows: 3, whole: false }),
      rows: [{ place: 1, row: changed }],
    });
    expect(after.rows[0]).toBe(before.rows[0]);
    expect(after.rows[1]).toBe(changed);
    expect(after.rows[2]).toBe(before.rows[2]);
  });

  it('keeps what a moved window has in common with the old one', () => {
    const before = patched(NO_ROWS, patch(0, [row(0), row(1), row(2)]));
    const after = patched(before, {
      ...patch(1, [], { len: 3, total_rows: 4, whole: false }),
      rows: [{ place: 2, row: row(3) }],
    });
    expect(after.rows.map((one) => one?.key)).toEqual(['o1', 'o2', 'o3']);
    expect(after.rows[0]).toBe(before.rows[1]);
  });

  it('leaves holes where rows have not arrived, and ignores rows outside', () => {
    const window = patched(NO_ROWS, {
      ...patch(0, [], { len: 2, total_rows: 2, whole: false }),
      rows: [
        { place: 1, row: row(1) },
        { place: 9, row: row(9) },
      ],
    });
    expect(window.rows.map((one) => one?.key)).toEqual([undefined, 'o1']);
  });

  it('shrinks', () => {
    const before = patched(NO_ROWS, patch(0, [row(0), row(1), row(2)]));
    expect(patched(before, patch(0, [row(0)])).rows).toHaveLength(1);
  });
});

describe('viewport', () => {
  it('shows the rows that are at least partly visible', () => {
    expect(viewport(1000, 0, 260).visible).toEqual({ start: 0, len: 10 });
    expect(viewport(1000, 13, 260).visible).toEqual({ start: 0, len: 11 });
    expect(viewport(1000, 26 * 990, 260).visible).toEqual({ start: 990, len: 10 });
    expect(viewport(1000, 999_999, 260).visible).toEqual({ start: 990, len: 10 });
    expect(viewport(3, 0, 260).visible).toEqual({ start: 0, len: 3 });
    expect(viewport(0, 0, 260)).toEqual({ contentHeight: 0, visible: { start: 0, len: 0 }, origin: 0 });
  });

  it('reaches every row of a list that is too tall for the engine', () => {
    const total = 5_000_000;
    expect(viewport(total, 0, 500).contentHeight).toBe(TALLEST);
    expect(viewport(total, 0, 500).visible.start).toBe(0);
    const end = viewport(total, TALLEST - 500, 500);
    expect(end.visible.start + end.visible.len).toBe(total);
    // The last row's lower edge is the lower edge of the content.
    expect(end.origin + total * ROW_HEIGHT).toBeCloseTo(TALLEST, 0);
  });
});

describe('scrollToShow', () => {
  it('moves as little as it can', () => {
    expect(scrollToShow(1000, 260, 260, 12)).toBe(260);
    expect(scrollToShow(1000, 260, 260, 5)).toBe(130);
    expect(scrollToShow(1000, 260, 260, 20)).toBe(286);
  });

  it('shows any row of a list that is too tall', () => {
    const total = 5_000_000;
    for (const index of [0, 1_234_567, total - 1]) {
      const top = scrollToShow(total, 0, 500, index);
      const { visible } = viewport(total, top, 500);
      expect(index).toBeGreaterThanOrEqual(visible.start);
      expect(index).toBeLessThanOrEqual(visible.start + visible.len);
    }
  });
});

describe('what is asked for', () => {
  it('is the visible rows and some more, within the list', () => {
    expect(wanted({ start: 500, len: 20 }, 10_000)).toEqual({ start: 440, len: 140 });
    expect(wanted({ start: 10, len: 20 }, 10_000)).toEqual({ start: 0, len: 140 });
    expect(wanted({ start: 9_990, len: 10 }, 10_000)).toEqual({ start: 9_870, len: 130 });
    expect(wanted({ start: 0, len: 1_000 }, 10_000).len).toBe(400);
  });

  it('is asked for before the edge is reached, and not at the ends of the list', () => {
    const here = { start: 440, len: 140 };
    expect(needsLook(here, { start: 500, len: 20 }, 10_000)).toBe(false);
    expect(needsLook(here, { start: 450, len: 20 }, 10_000)).toBe(true);
    expect(needsLook(here, { start: 565, len: 20 }, 10_000)).toBe(true);
    expect(needsLook({ start: 0, len: 140 }, { start: 0, len: 20 }, 10_000)).toBe(false);
    expect(needsLook({ start: 9_870, len: 130 }, { start: 9_980, len: 20 }, 10_000)).toBe(false);
  });
});
