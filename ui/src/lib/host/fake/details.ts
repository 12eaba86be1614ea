import type { RowDetails } from '$lib/bindings/RowDetails';
import { failure } from './failure';
import type { FakeJournal } from './journal';

/** The details of a row, as far as the fake keeps them. */
export function details(journal: FakeJournal, key: string): RowDetails {
  const number = /^o(\d+)/.exec(key)?.[1];
  const operation = number === undefined ? undefined : journal.operations[Number(number)];
  if (operation === undefined) {
    const loose = journal.top.find((top) => top.row.key === key);
    if (loose === undefined) throw failure('gone', 'This row is not in the journal.');
    const line = loose.row.event === null ? null : (journal.events[loose.row.event]?.line ?? null);
    return {
      key,
      operation: null,
      title: loose.row.label,
      summary: [
        { label: 'Kind', value: loose.row.state_text },
        { label: 'Server', value: loose.row.server_name },
      ],
      exchanges: [],
      shown_exchange: 0,
      event_count: line === null ? 0 : 1,
      event: line,
      findings:
        loose.row.kind === 'noise'
          ? [
              {
                rule: 'stdout-noise',
                severity: 'must',
                message: 'A line on stdout is not JSON-RPC.',
                clause: '2025-11-25 transports § stdio',
              },
            ]
          : [],
      cancellable: false,
    };
  }
  const child = /\/(\d+)$/.exec(key)?.[1];
  const row = child === undefined ? operation.row : operation.children[Number(child)];
  if (row === undefined) throw failure('gone', 'This row is not in the journal.');
  const own = operation.exchanges.filter(
    (one) => child === undefined || row.label.startsWith(one.label.split(' · retry')[0] ?? ''),
  );
  return {
    key,
    operation: operation.id,
    title: row.detail === null ? row.label : `${row.label} ${row.detail}`,
    summary: child === undefined ? operation.summary : [{ label: 'Status', value: row.state_text }],
    exchanges: own,
    shown_exchange: Math.max(0, own.length - 1),
    event_count: operation.events.length,
    event: row.event === null ? null : (journal.events[row.event]?.line ?? null),
    findings: row.finding_count > 0 ? operation.findings : [],
    cancellable: operation.row.end_micros === null,
  };
}
