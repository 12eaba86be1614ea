import type { FoundRow } from '$lib/bindings/FoundRow';
import type { Row } from '$lib/bindings/Row';

/** The top row after a row, or before it, round the ends. */
export function stepped(
  rows: readonly Row[],
  { from, backwards }: { from: number | null; backwards: boolean },
): FoundRow | null {
  const tops = rows.flatMap((row, index) => (row.depth === 0 ? [index] : []));
  const at = from ?? (backwards ? Infinity : -1);
  const index = backwards
    ? (tops.findLast((top) => top < at) ?? tops.at(-1))
    : (tops.find((top) => top > at) ?? tops[0]);
  const row = index === undefined ? undefined : rows[index];
  return index === undefined || row === undefined ? null : { index, key: row.key, event: null };
}
