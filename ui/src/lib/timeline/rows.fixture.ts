import type { Row } from '$lib/bindings/Row';
import type { TimelinePatch } from '$lib/bindings/TimelinePatch';

/** A row of an operation that ended, for tests. */
export function row(index: number, change: Partial<Row> = {}): Row {
  return {
    key: `o${index}`,
    kind: 'operation',
    depth: 0,
    operation: index,
    event: null,
    server_name: 'demo',
    label: 'tools/call',
    detail: `tool ${index}`,
    chips: [],
    state: 'complete',
    state_text: 'complete',
    start_micros: 1_000_000 + index * 1000,
    end_micros: 1_000_500 + index * 1000,
    spans: [],
    child_count: 0,
    expanded: false,
    finding_count: 0,
    ...change,
  };
}

let revision = 0;

/** A patch that holds these rows, later than all before it, for tests. */
export function patch(
  start: number,
  rows: readonly Row[],
  change: Partial<TimelinePatch> = {},
): TimelinePatch {
  revision += 1;
  return {
    revision,
    total_rows: start + rows.length,
    top_rows: start + rows.length,
    error_count: 0,
    find: null,
    start,
    len: rows.length,
    rows: rows.map((one, place) => ({ place, row: one })),
    whole: true,
    ...change,
  };
}
