import type { FakeJournal, FakeOperation } from './journal';
import { exchange, quick } from './exchanges';
import type { Question } from './prompts';

const STARTED =
  '\u001b[2m14:02:11\u001b[0m \u001b[1;32mREADY\u001b[0m Secure MCP Filesystem Server \u001b[33mrunning on stdio\u001b[0m';

/** What stands in the timeline when the fake window opens: the design's picture. */
export function prologue(journal: FakeJournal, now: number): FakeOperation {
  const t0 = now - 5_940_000;
  const name = 'restaurant-bookings';
  const bookings = 'bookings';
  quick(journal, bookings, name, 'server/discover', null, t0, 12_000, {
    resultType: 'complete',
    supportedVersions: ['2026-07-28', '2025-11-25'],
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name, version: '1.4.2' },
  });
  const list = quick(journal, bookings, name, 'tools/list', null, t0 + 20_000, 31_000, {
    resultType: 'complete',
    tools: [{ name: 'book_table' }],
    nextCursor: null,
  });
  journal.change(list, { chips: ['2 pages'] });
  quick(journal, 'filesystem', 'filesystem', 'initialize', null, t0 + 90_000, 310_000, {
    protocolVersion: '2025-11-25',
  });
  journal.loose('filesystem', {
    kind: 'stderr',
    label: STARTED,
    state_text: 'stderr',
    server_name: 'filesystem',
    start_micros: t0 + 410_000,
    end_micros: t0 + 410_000,
    event: journal.event(null, 'stderr', STARTED, { at: t0 + 410_000 }),
  });
  journal.loose('filesystem', {
    kind: 'noise',
    label: 'npm warn exec The following package was not found',
    state: 'error',
    state_text: 'not protocol',
    finding_count: 1,
    server_name: 'filesystem',
    start_micros: t0 + 430_000,
    end_micros: t0 + 430_000,
    event: journal.event(
      null,
      'noise',
      'npm warn exec The following package was not found and will be installed',
      { at: t0 + 430_000, direction: 'received', carrier: 'line' },
    ),
  });

  const at = t0 + 2_262_000;
  const call = journal.start(bookings, name, 'tools/call', 'book_table', at);
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  const params = {
    name: 'book_table',
    arguments: { restaurant: 'Trattoria Lucia', date: '2026-12-04' },
    _meta: meta,
  };
  exchange(journal, call, {
    round: 1,
    attempt: 1,
    label: 'round 1 · id 4',
    at,
    took: 38_000,
    request: { jsonrpc: '2.0', id: 4, method: 'tools/call', params },
    response: {
      jsonrpc: '2.0',
      id: 4,
      result: {
        resultType: 'input_required',
        inputRequests: {
          party: { method: 'elicitation/create', params: { mode: 'form', message: 'How many people?' } },
        },
        requestState: 'v1.hmac.8sJ2kQx',
      },
    },
    sse: true,
    headers: [
      { name: 'mcp-method', value: 'tools/call' },
      { name: 'mcp-name', value: 'book_table' },
      { name: 'mcp-param-date', value: '2026-12-04' },
    ],
  });
  const you = at + 38_000;
  const second = you + 1_302_000;
  exchange(journal, call, {
    round: 2,
    attempt: 1,
    label: 'round 2 · id 5',
    at: second,
    took: 21_000,
    request: { jsonrpc: '2.0', id: 5, method: 'tools/call', params },
    response: 'Service Unavailable',
    status: 503,
  });
  const third = second + 21_000 + 500_000;
  exchange(journal, call, {
    round: 2,
    attempt: 2,
    label: 'round 2 · id 6 · retry 1',
    at: third,
    took: 44_000,
    request: {
      jsonrpc: '2.0',
      id: 6,
      method: 'tools/call',
      params: { ...params, requestState: 'v1.hmac.8sJ2kQx' },
    },
    response: {
      jsonrpc: '2.0',
      id: 6,
      result: {
        inputRequests: { contact: { method: 'elicitation/create', params: { mode: 'form' } } },
        requestState: 'v1.hmac.99zzT0',
        price: 12345678901234567890n.toString(),
      },
    },
  });
  const asked = third + 44_000;
  const rows: [Parameters<FakeJournal['child']>[1], number][] = [
    [
      {
        label: 'round 1 · id 4',
        state: 'complete',
        state_text: 'input_required',
        start_micros: at,
        end_micros: you,
      },
      1,
    ],
    [
      {
        kind: 'prompt',
        label: 'form: “How many people?”',
        state: 'complete',
        state_text: 'accepted',
        start_micros: you,
        end_micros: second,
      },
      2,
    ],
    [
      {
        label: 'round 2 · id 5',
        state: 'error',
        state_text: 'HTTP 503',
        start_micros: second,
        end_micros: second + 21_000,
      },
      1,
    ],
    [
      {
        kind: 'attempt',
        label: 'round 2 · id 6',
        chips: ['retry 1'],
        state: 'complete',
        state_text: 'input_required',
        start_micros: third,
        end_micros: asked,
      },
      1,
    ],
    [
      {
        kind: 'prompt',
        label: 'form: “How should we reach you?”',
        state: 'waiting_on_you',
        state_text: 'asking you',
        start_micros: asked,
      },
      2,
    ],
  ];
  const kinds = ['server', 'user', 'error', 'server', 'user'] as const;
  rows.forEach(([row, depth], index) => {
    journal.child(call, {
      ...row,
      depth,
      spans: [
        {
          kind: kinds[index] ?? 'server',
          start_micros: row.start_micros ?? at,
          end_micros: row.end_micros ?? null,
        },
      ],
    });
  });
  journal.changeChild(call, 3, {
    finding_count: 1,
    spans: [
      { kind: 'time', start_micros: second + 21_000, end_micros: third },
      { kind: 'server', start_micros: third, end_micros: asked },
    ],
  });
  journal.change(call, {
    state: 'waiting_on_you',
    state_text: 'waiting on you',
    expanded: true,
    finding_count: 1,
    spans: [
      { kind: 'server', start_micros: at, end_micros: you },
      { kind: 'user', start_micros: you, end_micros: second },
      { kind: 'error', start_micros: second, end_micros: second + 21_000 },
      { kind: 'time', start_micros: second + 21_000, end_micros: third },
      { kind: 'server', start_micros: third, end_micros: asked },
      { kind: 'user', start_micros: asked, end_micros: null },
    ],
  });
  call.findings.push({
    rule: 'result-type-missing',
    severity: 'must',
    message:
      'resultType is missing in the reply to id 6. It is required from 2026-07-28 on; the result was taken for complete.',
    clause: '2026-07-28 basic § ResultType',
  });
  call.summary.push(
    { label: 'Rounds', value: '2 (ids 4, 5, 6)' },
    { label: 'Retries', value: '1 · HTTP 503, back-off 500 ms' },
    { label: 'On the server', value: '103 ms' },
    { label: 'Waiting on you', value: '1.30 s' },
    { label: 'Waiting on time', value: '0.50 s' },
    { label: 'requestState', value: '15 B, echoed exactly' },
  );

  const menu = quick(journal, bookings, name, 'tools/call', 'find_restaurants', at + 622_000, 84_000, {
    resultType: 'complete',
    content: [],
  });
  journal.change(menu, {});
  journal.loose(bookings, {
    kind: 'notification',
    label: 'notifications/tools/list_changed',
    state_text: 'notification',
    server_name: name,
    start_micros: at + 1_618_000,
    end_micros: at + 1_618_000,
    event: journal.event(
      null,
      'notification',
      '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
      { at: at + 1_618_000, direction: 'received', carrier: 'sse_event' },
    ),
  });
  const failed = quick(journal, bookings, name, 'tools/call', 'cancel_booking', at + 1_900_000, 61_000, {
    isError: true,
    content: [{ type: 'text', text: 'No such booking' }],
  });
  journal.change(failed, { state: 'error', state_text: 'tool error' });
  return call;
}

/** What the story's open prompt asks. */
export const QUESTION: Question = {
  message: 'How should we reach you?',
  schema: {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name' },
      email: { type: 'string', title: 'Email', format: 'email' },
      remind: { type: 'boolean', title: 'Remind me the day before', default: true },
    },
    required: ['name', 'email'],
  },
  round: 2,
};

/** Fills the journal with `rows` ended operations, so that scrolling can be tried. */
export function fill(journal: FakeJournal, rows: number, now: number): void {
  const gap = 7_000;
  for (let index = 0; index < rows; index += 1) {
    const at = now - (rows - index) * gap - 10_000_000;
    const took = 900 + ((index * 7919) % 5000);
    const operation = journal.start(
      'bookings',
      'restaurant-bookings',
      'tools/call',
      index % 3 === 0 ? 'find_restaurants' : 'book_table',
      at,
    );
    const bad = index % 97 === 0;
    operation.row = {
      ...operation.row,
      state: bad ? 'error' : 'complete',
      state_text: bad ? 'HTTP 503' : 'complete',
      end_micros: at + took,
      spans: [{ kind: bad ? 'error' : 'server', start_micros: at, end_micros: at + took }],
    };
  }
}
