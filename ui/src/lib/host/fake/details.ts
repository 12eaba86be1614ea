import type { BranchView } from '$lib/bindings/BranchView';
import type { ContentView } from '$lib/bindings/ContentView';
import type { MirrorView } from '$lib/bindings/MirrorView';
import type { RowDetails } from '$lib/bindings/RowDetails';
import { failure } from './failure';
import type { FakeBranch, FakeJournal } from './journal';

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
      method: null,
      name: null,
      server_name: loose.row.server_name,
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
      origin: null,
      branches: [],
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
    method: operation.row.label,
    name: operation.row.detail,
    server_name: operation.row.server_name,
    summary: child === undefined ? operation.summary : [{ label: 'Status', value: row.state_text }],
    exchanges: own,
    shown_exchange: Math.max(0, own.length - 1),
    event_count: operation.events.length,
    event: row.event === null ? null : (journal.events[row.event]?.line ?? null),
    findings: row.finding_count > 0 ? operation.findings : [],
    cancellable: operation.row.end_micros === null,
    origin: operation.origin === undefined ? null : branchView(journal, operation.origin),
    branches: (operation.branches ?? []).map((one) => branchView(journal, one)),
  };
}

/** The headers that mirror a request, as far as the fake's own story needs it. */
export function mirrors(journal: FakeJournal, operation: number, exchange: number): MirrorView[] {
  const one = journal.operations[operation]?.exchanges[exchange];
  if (one?.http == null || one.request === null) return [];
  const message = JSON.parse(journal.message(one.request.event)) as {
    method?: string;
    params?: { name?: string; arguments?: Record<string, unknown> };
  };
  return one.http.request.headers.flatMap(({ name, value }) => {
    const decoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
    const text =
      decoded === undefined
        ? value
        : new TextDecoder().decode(Uint8Array.from(atob(decoded), (c) => c.charCodeAt(0)));
    const lower = name.toLowerCase();
    const held =
      lower === 'mcp-method'
        ? message.method
        : lower === 'mcp-name'
          ? message.params?.name
          : lower.startsWith('mcp-param-')
            ? message.params?.arguments?.[lower.slice(10)]
            : undefined;
    if (!lower.startsWith('mcp-') || lower === 'mcp-protocol-version') return [];
    const differs = held !== text;
    return {
      header: name,
      value,
      decoded: decoded === undefined ? null : text,
      part:
        lower === 'mcp-method'
          ? 'method'
          : lower === 'mcp-name'
            ? 'params.name'
            : `params.arguments.${lower.slice(10)}`,
      held: typeof held === 'string' ? held : null,
      problem: differs ? 'The header and the message differ.' : null,
    };
  });
}

/** What a tool's result holds for a person to see. */
export function content(journal: FakeJournal, event: number): ContentView[] {
  try {
    const message = JSON.parse(journal.message(event)) as {
      result?: { content?: { type: string; text?: string; data?: string; mimeType?: string }[] };
    };
    return (message.result?.content ?? []).map((block) =>
      block.type === 'image'
        ? { kind: 'image', mime_type: block.mimeType ?? '', base64: block.data ?? null, problem: null }
        : { kind: 'text', text: block.text ?? '' },
    );
  } catch {
    return [];
  }
}

/** The other end of a branch, as it stands. */
function branchView(journal: FakeJournal, { of, round, words }: FakeBranch): BranchView {
  const row = journal.operations[of]?.row;
  return {
    operation: of,
    title: row === undefined ? '' : `${row.label} ${row.detail ?? ''}`.trim(),
    round,
    words,
    state: row?.state_text ?? '',
    took_micros: row?.end_micros == null ? null : row.end_micros - row.start_micros,
    recording: null,
  };
}
