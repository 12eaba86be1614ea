import type { Exchange } from '$lib/bindings/Exchange';
import type { FakeJournal, FakeOperation } from './journal';

const MODERN_HEADERS = [
  { name: 'content-type', value: 'application/json' },
  { name: 'accept', value: 'application/json, text/event-stream' },
  { name: 'mcp-protocol-version', value: '2026-07-28' },
];

/** One HTTP exchange with its two bodies, both as events. */
export function exchange(
  journal: FakeJournal,
  operation: FakeOperation,
  what: {
    round: number;
    attempt: number;
    label: string;
    at: number;
    took: number;
    request: unknown;
    response: unknown;
    status?: number;
    sse?: boolean;
    headers?: { name: string; value: string }[];
  },
): Exchange {
  const request = JSON.stringify(what.request);
  const reply = typeof what.response === 'string' ? what.response : JSON.stringify(what.response);
  const response = what.sse === true ? `event: message\ndata: ${reply}\n\n` : reply;
  const status = what.status ?? 200;
  const end = what.at + what.took;
  const sent = journal.event(operation, 'request', request, {
    at: what.at,
    direction: 'sent',
    carrier: 'body',
  });
  journal.event(operation, 'HTTP response head', `HTTP/1.1 ${status}`, { at: end - what.took / 5 });
  const received = journal.event(operation, what.sse === true ? 'SSE event' : 'reply', response, {
    at: end,
    direction: 'received',
    carrier: what.sse === true ? 'sse_event' : 'body',
  });
  const view: Exchange = {
    round: what.round,
    attempt: what.attempt,
    label: what.label,
    cause: what.attempt > 1 ? 'HTTP 503' : null,
    waited_micros: what.attempt > 1 ? 500_000 : null,
    start_micros: what.at,
    end_micros: end,
    request: { event: sent, byte_len: request.length, at_micros: what.at },
    response: { event: received, byte_len: response.length, at_micros: end },
    http: {
      request: {
        method: 'POST',
        url: 'http://localhost:8080/mcp',
        headers: [
          ...MODERN_HEADERS,
          ...(what.headers ?? []),
          { name: 'authorization', value: 'Bearer ⟨secret: bookings token⟩' },
        ],
      },
      sent_micros: what.at,
      request_byte_len: request.length,
      response: {
        status,
        version: 'HTTP/1.1',
        headers: [
          {
            name: 'content-type',
            value:
              what.sse === true ? 'text/event-stream' : status === 200 ? 'application/json' : 'text/plain',
          },
          { name: 'date', value: 'Sun, 29 Nov 2026 14:02:11 GMT' },
          { name: 'server', value: 'uvicorn' },
        ],
      },
      head_micros: end - Math.round(what.took / 5),
      first_byte_micros: end - Math.round(what.took / 5),
      ended_micros: end,
      response_byte_len: response.length,
      wire_byte_len: null,
      error: null,
    },
    outcome: status === 200 ? resultType(what.response) : `HTTP ${status}`,
  };
  operation.exchanges.push(view);
  return view;
}

/** A quick operation of one round that ended well. */
export function quick(
  journal: FakeJournal,
  server: string,
  serverName: string,
  method: string,
  detail: string | null,
  at: number,
  took: number,
  response: unknown,
): FakeOperation {
  const operation = journal.start(server, serverName, method, detail, at);
  const id = journal.operations.length;
  exchange(journal, operation, {
    round: 1,
    attempt: 1,
    label: `round 1 · id ${id}`,
    at,
    took,
    request: { jsonrpc: '2.0', id, method, params: detail === null ? {} : { name: detail, arguments: {} } },
    response: { jsonrpc: '2.0', id, result: response },
  });
  journal.child(operation, {
    label: `round 1 · id ${id}`,
    state: 'complete',
    state_text: 'complete',
    start_micros: at,
    end_micros: at + took,
    spans: [{ kind: 'server', start_micros: at, end_micros: at + took }],
  });
  journal.change(operation, {
    state: 'complete',
    state_text: 'complete',
    end_micros: at + took,
    spans: [{ kind: 'server', start_micros: at, end_micros: at + took }],
  });
  operation.summary.push(
    { label: 'Rounds', value: `1 (id ${id})` },
    { label: 'On the server', value: `${took / 1000} ms` },
  );
  return operation;
}

function resultType(response: unknown): string {
  const result = (response as { result?: { resultType?: string } } | null)?.result;
  return result?.resultType ?? 'result';
}
