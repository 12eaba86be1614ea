import type { DensityView } from '$lib/bindings/DensityView';
import type { FakeJournal } from './journal';

/** When how much happened, counted anew: the fake has few events, or one kind of many. */
export function density(journal: FakeJournal): DensityView {
  const rows = journal.top.map((top) => top.row);
  const first = rows[0];
  const empty = { start_micros: 0, last_micros: 0, bucket_micros: 100, events: [], errors: [] };
  if (first === undefined) return empty;
  let last = first.start_micros;
  let start = first.start_micros;
  for (const row of rows) {
    start = Math.min(start, row.start_micros);
    last = Math.max(last, row.end_micros ?? row.start_micros);
  }
  let bucket_micros = 100;
  while ((last - start) / bucket_micros >= 512) bucket_micros *= 2;
  const events = new Array<number>(Math.floor((last - start) / bucket_micros) + 1).fill(0);
  const errors = [...events];
  for (const row of rows) {
    const bucket = Math.floor((row.start_micros - start) / bucket_micros);
    events[bucket] = (events[bucket] ?? 0) + 1;
    if (row.state === 'error') errors[bucket] = (errors[bucket] ?? 0) + 1;
  }
  return { start_micros: start, last_micros: last, bucket_micros, events, errors };
}

/** The first row that began at a time or later; the last one where all are earlier. */
export function rowAt(
  rows: readonly { start_micros: number; depth: number }[],
  micros: number,
): number | null {
  if (rows.length === 0) return null;
  const found = rows.findIndex((row) => row.depth === 0 && row.start_micros >= micros);
  return found < 0 ? rows.length - 1 : found;
}
