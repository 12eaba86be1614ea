import type { CallResult } from '$lib/bindings/CallResult';
import type { OperationReply } from '$lib/bindings/OperationReply';
import type { ToolView } from '$lib/bindings/ToolView';
import { answerTo } from './composer';
import { exchange, quick } from './exchanges';
import { failure } from './failure';
import type { Handlers, Sleep } from './handlers';
import { nowMicros, type FakeJournal, type FakeOperation } from './journal';
import type { FakeKeptCalls } from './kept-calls';
import type { FakeLists } from './lists';
import { toolResult, type FakeOutcomes } from './outcomes';
import { PICTURE } from './picture';
import type { FakePrompts } from './prompts';
import type { FakeServers } from './servers';

type OfCalls = 'call_tool' | 'read_resource' | 'get_prompt' | 'request' | 'compose' | 'reply' | 'resend';

/** What calls need of the rest of the core. */
interface Parts {
  readonly journal: FakeJournal;
  readonly servers: FakeServers;
  readonly lists: FakeLists;
  readonly prompts: FakePrompts;
  readonly outcomes: FakeOutcomes;
  readonly keptCalls: FakeKeptCalls;
  readonly sleep: Sleep;
}

/** A call that was begun. */
interface Begun {
  readonly operation: FakeOperation;
  readonly args: string;
  /** Its first round has this result. */
  readonly reply: (result: unknown) => void;
}

/** Notes in an operation where it is from, and there that it has a branch. */
function branch(
  journal: Parts['journal'],
  sent: FakeOperation,
  { of, round, changed, params }: { of: number; round: number; changed: boolean; params: string },
): void {
  const words = !changed
    ? `round ${String(round)} sent again`
    : /"inputResponses"|"requestState"/.test(params)
      ? `round ${String(Math.max(1, round - 1))} answered anew`
      : `round ${String(round)} sent again, changed`;
  const original = journal.operations[of];
  sent.origin = { of, round, words };
  journal.change(sent, { chips: [...sent.row.chips, `branch of #${String(of)}`] });
  if (original === undefined) return;
  original.branches = [...(original.branches ?? []), { of: sent.id, round, words }];
  const { start_micros, end_micros, spans, state, state_text, label, detail } = sent.row;
  journal.child(original, {
    kind: 'branch',
    label: words,
    detail: `#${String(sent.id)} ${label} ${detail ?? ''}`.trim(),
    state,
    state_text,
    start_micros,
    end_micros,
    spans,
  });
}

/** Calls of tools, each of which does what its name says; and whatever else is sent to a server. */
export class FakeCalls {
  /** What the next call ends with, for tests. */
  nextResult: CallResult | undefined;
  readonly #parts: Parts;
  readonly #replies = new Map<number, OperationReply>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  #call(server: string, tool: ToolView | undefined, args: string): number {
    const from = this.#parts.servers.get(server);
    if (tool === undefined)
      throw failure('gone', 'This tool is no longer in the list.', 'Refresh the list of tools.');
    if (from.connection.phase !== 'connected') {
      throw failure('failed', `${from.name} is not connected.`, 'Connect, then call again.');
    }
    const operation = this.#parts.journal.start(server, from.name, 'tools/call', tool.name);
    const begun = { operation, args, reply: this.#firstRound(operation, tool.name, args) };
    const next = this.nextResult;
    this.nextResult = undefined;
    if (next === undefined) this.#go(tool.name, begun);
    else void this.#parts.outcomes.finish(operation, next);
    return operation.id;
  }

  /** Sends the first round; what it gives is called with its result. */
  #firstRound(operation: FakeOperation, tool: string, args: string): (result: unknown) => void {
    const { journal, outcomes } = this.#parts;
    const id = 100 + operation.id;
    const label = `round 1 · id ${id}`;
    const round = journal.child(operation, {
      label,
      state: 'running',
      state_text: 'running',
      spans: [{ kind: 'server', start_micros: nowMicros(), end_micros: null }],
    });
    outcomes.onCancel(operation, () =>
      journal.changeChild(operation, round, {
        state: 'cancelled',
        state_text: 'cancelled',
        end_micros: nowMicros(),
      }),
    );
    return (result) => {
      const began = operation.row.start_micros;
      const now = nowMicros();
      exchange(journal, operation, {
        round: 1,
        attempt: 1,
        label,
        at: began,
        took: Math.max(500, now - began),
        request: {
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { name: tool, arguments: JSON.parse(args) as unknown },
        },
        response: { jsonrpc: '2.0', id, result },
        sse: true,
      });
      journal.changeChild(operation, round, {
        state: 'complete',
        state_text: 'complete',
        end_micros: now,
        spans: [{ kind: 'server', start_micros: began, end_micros: now }],
      });
    };
  }

  #go(tool: string, begun: Begun): void {
    const { operation, args } = begun;
    const { outcomes } = this.#parts;
    switch (tool) {
      case 'import_menu':
        void this.#progress(operation, 20);
        break;
      case 'flood':
        void this.#flood(operation, (JSON.parse(args) as { count?: number }).count ?? 100_000);
        break;
      case 'book_table':
        void this.#askFirst(begun);
        break;
      case 'always_fails':
        void this.#answer(begun, 'The kitchen is closed.', true);
        break;
      case 'rejects':
        void outcomes.finish(operation, {
          kind: 'failed',
          code: -32602,
          error: {
            code: 'failed',
            message: 'restaurant-bookings answered error -32602: Invalid params',
            hint: 'Compare the arguments with the input schema.',
          },
          data: '{\n  "missing": ["restaurant"]\n}',
        });
        break;
      case 'floor_plan':
        void outcomes.finish(
          operation,
          toolResult([
            { kind: 'text', text: 'The ground floor.' },
            { kind: 'image', mime_type: 'image/png', base64: PICTURE, problem: null },
          ]),
        );
        break;
      default:
        void this.#answer(begun, `${tool} was called with ${args}`, false);
    }
  }

  async #answer({ operation, reply }: Begun, text: string, is_error: boolean): Promise<void> {
    await this.#parts.sleep(40);
    if (operation.row.end_micros !== null) return;
    reply({ content: [{ type: 'text', text }], isError: is_error });
    this.#parts.outcomes.end(operation, toolResult(text, { is_error }));
  }

  async #askFirst({ operation, reply }: Begun): Promise<void> {
    const { journal, prompts, sleep } = this.#parts;
    await sleep(60);
    reply({ resultType: 'input_required' });
    journal.turn(operation, 'user');
    journal.child(operation, {
      kind: 'prompt',
      depth: 2,
      label: 'form: “How should we reach you?”',
      state: 'waiting_on_you',
      state_text: 'asking you',
      spans: [{ kind: 'user', start_micros: nowMicros(), end_micros: null }],
    });
    journal.change(operation, { state: 'waiting_on_you', state_text: 'waiting on you' });
    prompts.askFor(operation, {
      message: 'How should we reach you?',
      schema: {
        type: 'object',
        properties: { email: { type: 'string', title: 'Email', format: 'email' } },
        required: ['email'],
      },
      round: 1,
    });
  }

  async #progress(operation: FakeOperation, steps: number): Promise<void> {
    for (let step = 1; step <= steps; step += 1) {
      await this.#parts.sleep(300);
      if (operation.row.end_micros !== null) return;
      this.#notify(operation, step, steps);
    }
    await this.#parts.outcomes.finish(operation, toolResult(`Imported ${steps} rows.`));
  }

  async #flood(operation: FakeOperation, of: number): Promise<void> {
    let sent = 0;
    while (sent < of) {
      if (operation.row.end_micros !== null) return;
      for (let batch = 0; batch < 2000 && sent < of; batch += 1) {
        sent += 1;
        this.#notify(operation, sent, of);
      }
      await this.#parts.sleep(16);
    }
    await this.#parts.outcomes.finish(operation, toolResult(`Sent ${of} notifications.`));
  }

  #notify(operation: FakeOperation, step: number, of: number): void {
    const at = nowMicros();
    const detail = `importing row ${step} of ${of}`;
    const message = JSON.stringify({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: operation.id, progress: step, total: of, message: detail },
    });
    const event = this.#parts.journal.event(operation, 'SSE event', `data: ${message}\n\n`, {
      at,
      direction: 'received',
      carrier: 'sse_event',
    });
    this.#parts.journal.child(operation, {
      kind: 'notification',
      depth: 2,
      label: 'notifications/progress',
      detail,
      state: 'note',
      state_text: 'notification',
      start_micros: at,
      end_micros: at,
      event,
    });
  }

  /** Starts something that ends with this. */
  #start(server: string, method: string, detail: string, result: CallResult): number {
    const { name } = this.#parts.servers.get(server);
    const operation = this.#parts.journal.start(server, name, method, detail);
    void this.#parts.outcomes.finish(operation, result);
    return operation.id;
  }

  /** Sends something that is answered at once. */
  #quick(server: string, method: string): FakeOperation {
    const { name } = this.#parts.servers.get(server);
    return quick(this.#parts.journal, server, name, method, null, nowMicros() - 9_000, 9_000, {});
  }

  readonly handlers: Handlers<OfCalls> = {
    call_tool: async ({ server, tool: index, arguments: args, outcome_within_millis }) => {
      const { lists, outcomes, keptCalls, sleep } = this.#parts;
      const tool = lists.tools(server)[index];
      const operation = this.#call(server, tool, args);
      const ended = keptCalls.note(server, tool?.name ?? '', args);
      void outcomes.of(operation).then(({ result, total_micros }) => {
        const good = result.kind === 'tool' && !result.is_error;
        const words = good ? 'complete' : result.kind === 'tool' ? 'tool error' : result.kind;
        ended({ words, good, total_micros });
      });
      const tooLate = sleep(outcome_within_millis).then(() => null);
      return { operation, outcome: await Promise.race([outcomes.of(operation), tooLate]) };
    },
    read_resource: ({ server, uri }) =>
      this.#start(server, 'resources/read', uri, {
        kind: 'resource',
        contents: [
          { uri, mime_type: 'text/markdown', content: { kind: 'text', text: `# What is at ${uri}` } },
        ],
        problems: [],
        ttl_millis: 60_000,
        scope: 'private',
        event: null,
      }),
    get_prompt: ({ server, name, arguments: args }) =>
      this.#start(server, 'prompts/get', name, {
        kind: 'prompt',
        description: null,
        messages: [
          { role: 'user', content: { kind: 'text', text: `${name} with ${args}` } },
          { role: 'assistant', content: { kind: 'text', text: 'Gladly.' } },
        ],
        problems: [],
        event: null,
      }),
    request: ({ method }) => {
      throw failure('failed', `There is no server here that could answer ${method}.`);
    },
    compose: (args) => {
      const { id } = this.#quick(args.server, 'composed');
      this.#replies.set(id, answerTo(args, id));
      return id;
    },
    reply: ({ operation }) => {
      const known = this.#replies.get(operation);
      if (known !== undefined) return known;
      throw failure('gone', `Operation ${String(operation)} kept no reply as it came.`);
    },
    resend: ({ request, of, round, changed }) => {
      const sent = this.#quick(request.server, request.method);
      branch(this.#parts.journal, sent, { of, round, changed, params: request.params ?? '' });
      return sent.id;
    },
  };
}
