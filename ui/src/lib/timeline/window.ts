import type { Row } from '$lib/bindings/Row';
import type { TimelinePatch } from '$lib/bindings/TimelinePatch';

/** Height of a row in CSS pixels; `--row` in tokens.css. It changes only between one drawing of the timeline and another. */
export let ROW_HEIGHT = 26;

/** Rows are this dense from now on; whoever has drawn some draws them anew. */
export function setRowHeight(density: 'comfortable' | 'compact'): void {
  ROW_HEIGHT = density === 'compact' ? 22 : 26;
}
/** The core gives at most so many rows. */
export const LARGEST_WINDOW = 400;
/** Rows asked for beyond the visible ones, above and below. */
export const OVERSCAN = 60;
/** WebKit's tallest element is 33 554 432 px; beyond this the scroll bar is scaled. */
export const TALLEST = 30_000_000;

/** The rows that are here: `rows[i]` is row `start + i` of the filter; a hole has not arrived. */
export interface RowWindow {
  readonly start: number;
  readonly rows: readonly (Row | undefined)[];
}

export const NO_ROWS: RowWindow = { start: 0, rows: [] };

/**
 * The window after a patch. Rows that did not change keep their identity, so only the changed ones are drawn again.
 * A patch that is not whole may have moved the window (it follows the end): rows that both have in common stay.
 */
export function patched(window: RowWindow, patch: TimelinePatch): RowWindow {
  const rows: (Row | undefined)[] = new Array<Row | undefined>(patch.len).fill(undefined);
  if (!patch.whole) {
    for (let place = 0; place < patch.len; place += 1) {
      rows[place] = window.rows[patch.start + place - window.start];
    }
  }
  for (const { place, row } of patch.rows) {
    if (place < patch.len) rows[place] = row;
  }
  return { start: patch.start, rows };
}

/** The row at an absolute place, when it is here. */
export function rowAt(window: RowWindow, index: number): Row | undefined {
  return window.rows[index - window.start];
}

/** The absolute place of the row with this key, when it is here. */
export function placeOf(window: RowWindow, key: string): number | undefined {
  const at = window.rows.findIndex((row) => row?.key === key);
  return at < 0 ? undefined : window.start + at;
}

/** A stretch of rows: from `start`, `len` of them. */
export interface Stretch {
  readonly start: number;
  readonly len: number;
}

/** What a scrolled viewport of `height` px shows of `total` rows. */
export interface Viewport {
  /** Height of the scrolled element. */
  readonly contentHeight: number;
  /** The rows that are at least partly visible. */
  readonly visible: Stretch;
  /** Where row 0 would be drawn: its top within the scrolled element. Row i is at `origin + i * ROW_HEIGHT`. */
  readonly origin: number;
}

/** Where the rows lie for a scroll position. Beyond {@link TALLEST} the scroll bar stands for a proportion. */
export function viewport(total: number, scrollTop: number, height: number): Viewport {
  const real = total * ROW_HEIGHT;
  const contentHeight = Math.min(real, TALLEST);
  const top = Math.max(0, Math.min(scrollTop, Math.max(0, contentHeight - height)));
  let realTop = top;
  if (real > TALLEST) {
    realTop = (top / (contentHeight - height)) * (real - height);
  }
  const first = Math.min(Math.floor(realTop / ROW_HEIGHT), Math.max(0, total - 1));
  const last = Math.min(total, Math.ceil((realTop + height) / ROW_HEIGHT));
  return {
    contentHeight,
    visible: { start: first, len: Math.max(0, last - first) },
    origin: top - realTop,
  };
}

/** The scroll position that brings a row into view with the least movement; the present one when it is in view. */
export function scrollToShow(total: number, scrollTop: number, height: number, index: number): number {
  const real = total * ROW_HEIGHT;
  const scaled = real > TALLEST;
  const factor = scaled ? (TALLEST - height) / (real - height) : 1;
  const realTop = scrollTop / factor;
  const rowTop = index * ROW_HEIGHT;
  let next = realTop;
  if (rowTop < realTop) next = rowTop;
  else if (rowTop + ROW_HEIGHT > realTop + height) next = rowTop + ROW_HEIGHT - height;
  return Math.max(0, next * factor);
}

/** The scroll position that brings a row to the top of the viewport, as far as the end of the list allows. */
export function scrollToTop(total: number, height: number, index: number): number {
  const real = total * ROW_HEIGHT;
  const factor = real > TALLEST ? (TALLEST - height) / (real - height) : 1;
  return Math.max(0, index * ROW_HEIGHT * factor);
}

/** The rows to ask for around the visible ones. */
export function wanted(visible: Stretch, total: number): Stretch {
  const len = Math.min(LARGEST_WINDOW, visible.len + 2 * OVERSCAN);
  const start = Math.max(0, Math.min(visible.start - OVERSCAN, Math.max(0, total - len)));
  return { start, len };
}

/**
 * Whether what is here no longer covers what is seen, with a margin. At the ends of the list there is nothing more
 * to ask for.
 */
export function needsLook(here: Stretch, visible: Stretch, total: number): boolean {
  const margin = OVERSCAN / 3;
  const from = Math.max(0, visible.start - margin);
  const to = Math.min(total, visible.start + visible.len + margin);
  return from < here.start || to > here.start + here.len;
}
