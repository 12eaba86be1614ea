import type { CallOutcome } from '$lib/bindings/CallOutcome';
import type { CallResult } from '$lib/bindings/CallResult';
import type { ConnectionView } from '$lib/bindings/ConnectionView';
import type { FeedBatch } from '$lib/bindings/FeedBatch';
import type { OperationReply } from '$lib/bindings/OperationReply';
import type { PromptView } from '$lib/bindings/PromptView';
import type { Row } from '$lib/bindings/Row';
import type { ServerDraft } from '$lib/bindings/ServerDraft';
import type { ServerView } from '$lib/bindings/ServerView';
import type { TimelineLook } from '$lib/bindings/TimelineLook';
import type { TimelinePatch } from '$lib/bindings/TimelinePatch';
import type { ListKind } from '$lib/bindings/ListKind';
import type { ListView } from '$lib/bindings/ListView';
import type { ToolView } from '$lib/bindings/ToolView';
import type { Arguments, CommandName, Detach, Host, Reply } from '../host';
import { connected, disconnected, servers, toolsOf } from './catalog';
import { readFilter } from './filter';
import { FakeJournal, nowMicros, type FakeOperation } from './journal';
import { density, rowAt } from './density';
import { findingPlaces, findings } from './findings';
import { complete, expand, FakeLists, PROMPTS, TEMPLATES } from './offers';
import { content, details, mirrors } from './details';
import { FakeDocuments } from './documents';
import { failure } from './failure';
import { FakeHosts, sampleLinks } from './links';
import { FakeTasks } from './tasks';
import { PICTURE } from './picture';
import { FakeKeptCalls } from './kept-calls';
import { answerTo } from './composer';
import { FakeLogs } from './logs';
import { FakeSampling } from './sampling';
import { exchange, fill, prologue, quick } from './story';
import { FakeRecordings } from './recordings';
import { stepped } from './step';
import { FakeTransfers } from './transfers';
import { FakeSecrets } from './secrets';
import { FakeSignIns } from './sign-in';
import { readPaste, validate } from './typed';

const TICK_MILLIS = 33;

/** How the fake begins. */
export interface FakeOptions {
  /** Start with the story of the design's picture; otherwise empty and disconnected. */
  story?: boolean;
  /** Operations that have ended already. */
  rows?: number;
  /** Only the bundled servers, as on the first start. */
  fresh?: boolean;
  /** With the tasks of the design's picture, or so many. */
  tasks?: boolean | number;
  /** Everything takes this share of its time; 0 for tests. */
  pace?: number;
}

type Handlers = { [K in CommandName]: (args: Arguments<K>) => Reply<K> | Promise<Reply<K>> };

/** A core in the page: for a plain browser, for tests and for looking at screens. */
export class FakeHost implements Host {
  readonly journal = new FakeJournal();
  readonly documents = new FakeDocuments(this.journal);
  servers: ServerView[];
  prompts: PromptView[] = [];
  preferences = '{}';
  readonly hosts = new FakeHosts();
  /** Lists of resources, templates and prompts. */
  readonly lists = new FakeLists();
  readonly keptCalls = new FakeKeptCalls();
  readonly logs = new FakeLogs();
  /** What the next call ends with, for tests. */
  nextResult: CallResult | undefined;
  readonly tasks = new FakeTasks(nowMicros);
  readonly recordings = new FakeRecordings();
  readonly transfers = new FakeTransfers(this.recordings);
  readonly secrets = new FakeSecrets();
  /** Sign-ins. */
  readonly signIns = new FakeSignIns(
    (millis) => this.#sleep(millis),
    (server, sign_in) => {
      this.servers = this.servers.map((one) => (one.id === server ? { ...one, sign_in } : one));
      this.#serversChanged = true;
    },
    (server) => void this.#connect(server, false),
  );
  /** Instead of the few tools, these. */
  manyTools: ToolView[] | undefined;
  /** What was begun of answers. */
  readonly drafts = new Map<number, string>();
  /** The folders that are chosen in the system's dialog. */
  picked: readonly string[] = ['/home/ana/projects/menu'];
  /** Sampling requests, and the answers that were saved. */
  readonly sampling = new FakeSampling();
  /** How the wish to close a prompt's window was answered, for tests. */
  readonly closeAnswers: boolean[] = [];
  /** Calls of `rpc`, for tests. */
  readonly asked: { name: CommandName; args: unknown }[] = [];

  readonly #pace: number;
  #removed: ServerView | undefined;
  #look: TimelineLook = { start: 0, len: 100, follow: true, filter: 'all', server: null, line: '' };
  #sentStart = 0;
  #sent: Row[] = [];
  #seen = '';
  #onBatch: ((batch: FeedBatch) => void) | undefined;
  #number = 0;
  #revision = 0;
  #inFlight = 0;
  #serversChanged = true;
  #promptsChanged = true;
  #timer: ReturnType<typeof setInterval> | undefined;
  #ended: number[] = [];
  #outcomes = new Map<number, CallOutcome>();
  #replies = new Map<number, OperationReply>();
  #waiting = new Map<number, ((outcome: CallOutcome) => void)[]>();
  #answers = new Map<number, (action: string, content: string | null) => void>();
  #cancels = new Map<number, () => void>();
  #nextPrompt = 1;

  constructor(options: FakeOptions = {}) {
    this.#pace = options.pace ?? 1;
    this.servers = servers();
    if (options.fresh === true) this.servers = this.servers.filter((server) => server.builtin);
    if (options.story === true && options.fresh !== true) this.recordings.tell();
    if (options.story === true && options.fresh !== true) this.secrets.tell();
    if (options.story !== true) {
      this.servers = this.servers.map((server) => ({ ...server, connection: disconnected() }));
    }
    const now = nowMicros();
    if (options.rows !== undefined) fill(this.journal, options.rows, now);
    if (options.tasks !== undefined) this.tasks.begin(options.tasks, this.journal.operations.length);
    if (options.story === true && options.fresh !== true) {
      const call = prologue(this.journal, now);
      this.#ask(call, {
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
        since: now - 1_700_000,
      });
    }
  }

  async rpc<K extends CommandName>(name: K, args: Arguments<K>): Promise<Reply<K>> {
    if (name !== 'ack') this.asked.push({ name, args });
    await Promise.resolve();
    const past = this.recordings.read(name, args);
    if (past !== undefined) return past;
    return this.#handlers[name](structuredClone(args));
  }

  attach(onBatch: (batch: FeedBatch) => void): Promise<Detach> {
    clearInterval(this.#timer);
    this.#onBatch = onBatch;
    this.#number = 0;
    this.#inFlight = 0;
    this.#serversChanged = this.#promptsChanged = true;
    this.tasks.attached();
    this.#sent = [];
    this.#sentStart = -1;
    this.#seen = '';
    this.#timer = setInterval(() => this.tick(), TICK_MILLIS);
    queueMicrotask(() => this.tick());
    return Promise.resolve(() => {
      if (this.#onBatch === onBatch) {
        this.#onBatch = undefined;
        clearInterval(this.#timer);
      }
    });
  }

  zoom(factor: number): Promise<void> {
    document.documentElement.style.zoom = String(factor);
    return Promise.resolve();
  }

  /** Sends what changed; tests call it instead of waiting. */
  tick(): void {
    if (this.#onBatch === undefined || this.#inFlight >= 2) return;
    const seen = `${this.journal.version} ${this.journal.events.length}`;
    const first = this.#number === 0;
    if (
      !first &&
      seen === this.#seen &&
      !this.#serversChanged &&
      !this.#promptsChanged &&
      !this.tasks.hasNews &&
      this.#ended.length === 0
    ) {
      return;
    }
    this.#number += 1;
    this.#inFlight += 1;
    const batch: FeedBatch = {
      number: this.#number,
      now_micros: nowMicros(),
      servers: this.#serversChanged ? this.servers : null,
      prompts: this.#promptsChanged ? this.prompts : null,
      tasks: this.tasks.patch(),
      timeline: seen === this.#seen ? null : this.#patch(first),
      status: {
        event_count: this.journal.events.length,
        byte_len: this.journal.byteLen,
        running: this.journal.operations.filter((operation) => operation.row.end_micros === null).length,
        recording: '/home/ana/.local/state/roundtrip/2026-11-29T14-02-09.mcpr',
        file_problem: null,
        keyring: 'Secret Service, unlocked',
      },
      touched: this.#ended,
    };
    this.#seen = seen;
    this.#serversChanged = this.#promptsChanged = false;
    this.#ended = [];
    this.#onBatch(structuredClone(batch));
  }

  /** Windows of prompts, opened and closed. */
  popOut(prompt: number): Promise<void> {
    this.#popped(prompt, true);
    return Promise.resolve();
  }

  closeAsked(leaves: boolean): Promise<void> {
    this.closeAnswers.push(leaves);
    if (leaves) for (const { id } of this.prompts) this.#popped(id, false);
    return Promise.resolve();
  }

  pickFolders(): Promise<readonly string[]> {
    return Promise.resolve(this.picked);
  }

  saveExport(transfer: number): Promise<string | null> {
    return Promise.resolve(this.transfers.save(transfer));
  }

  importFile(): Promise<number | null> {
    return Promise.resolve(this.transfers.import());
  }

  #popped(prompt: number, popped_out: boolean): void {
    this.prompts = this.prompts.map((open) => (open.id === prompt ? { ...open, popped_out } : open));
    this.#promptsChanged = true;
  }

  /** Something happened that no row tells of. */
  tellSomething(): void {
    this.#serversChanged = true;
    this.servers = this.servers.map((server) => ({
      ...server,
      connection: { ...server.connection, since_micros: server.connection.since_micros + 1 },
    }));
    this.tick();
  }

  /** Loses the next batch, as a broken channel would. */
  loseBatch(): void {
    this.#number += 1;
  }

  #patch(whole: boolean): TimelinePatch {
    const window = this.journal.window(this.#look);
    const moved = whole || window.start !== this.#sentStart;
    const rows = window.rows
      .map((row, place) => ({ place, row }))
      .filter(({ place, row }) => moved || this.#sent[place] !== row);
    this.#sent = window.rows;
    this.#sentStart = window.start;
    this.#revision += 1;
    return {
      revision: this.#revision,
      total_rows: window.total,
      top_rows: this.journal.topCount(this.#look.filter, this.#look.server, this.#look.line),
      error_count: this.journal.errorCount(),
      find: this.#look.line === '' ? null : { line: this.#look.line, search: null },
      start: window.start,
      len: window.rows.length,
      rows,
      whole: moved,
    };
  }

  #server(id: string): ServerView {
    const found = this.servers.find((server) => server.id === id);
    if (found === undefined) throw failure('gone', 'This server was removed from the catalog.');
    return found;
  }

  #connection(id: string, change: Partial<ConnectionView>): void {
    this.servers = this.servers.map((server) =>
      server.id === id
        ? { ...server, connection: { ...server.connection, since_micros: nowMicros(), ...change } }
        : server,
    );
    this.#serversChanged = true;
  }

  /** A change within a connection, which stays the same one. */
  #change(id: string, change: Partial<ConnectionView>): void {
    this.servers = this.servers.map((server) =>
      server.id === id ? { ...server, connection: { ...server.connection, ...change } } : server,
    );
    this.#serversChanged = true;
  }

  #sleep(millis: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, millis * this.#pace));
  }

  async #connect(id: string, legacy: boolean): Promise<void> {
    const server = this.#server(id);
    const method = legacy ? 'initialize' : 'server/discover';
    this.#connection(id, { ...disconnected(), phase: 'connecting', step: 'starting the program' });
    await this.#sleep(250);
    if (this.#server(id).connection.phase !== 'connecting') return;
    this.#connection(id, { step: `waiting for the answer to ${method}` });
    const isSignedIn = this.signIns.view(id).signed_in !== null;
    const broken = (server.address.includes('billing') && !isSignedIn) || server.address.includes('nowhere');
    await this.#sleep(broken ? 1200 : 300);
    if (this.#server(id).connection.phase !== 'connecting') return;
    if (broken) {
      const operation = this.journal.start(id, server.name, method, null);
      this.journal.turn(operation, null);
      this.journal.change(operation, { state: 'error', state_text: 'HTTP 401', end_micros: nowMicros() });
      this.#connection(id, {
        phase: 'failed',
        step: null,
        operation: operation.id,
        error: {
          code: 'sign_in_needed',
          message: `${server.address} answered HTTP 401 (Bearer realm="billing").`,
          hint: 'Add an Authorization header to the server, or sign in where it issues tokens.',
        },
      });
      return;
    }
    const tools = toolsOf(id).length;
    quick(this.journal, id, server.name, method, null, nowMicros() - 12_000, 12_000, {
      resultType: 'complete',
    });
    quick(this.journal, id, server.name, 'tools/list', null, nowMicros(), 4_000, { tools: [] });
    this.#connection(id, {
      ...connected(legacy ? 'legacy' : 'modern', server.name, tools),
      pid: server.transport === 'stdio' ? 5120 : null,
    });
  }

  /** A prompt of a server that is in the catalog, for tests and for looking at screens. */
  ask(server: string, change: Partial<PromptView> = {}): number {
    const operation = this.journal.start(server, this.#server(server).name, 'tools/call', 'book_table');
    const id = this.#ask(operation, { message: 'How should we reach you?', schema: {}, round: 1 });
    this.prompts = this.prompts.map((open) => (open.id === id ? { ...open, ...change } : open));
    return id;
  }

  /** A prompt is over without an answer. */
  withdraw(prompt: number): void {
    this.prompts = this.prompts.filter((open) => open.id !== prompt);
    this.#promptsChanged = true;
  }

  /** Asks these instead of what is asked now. */
  tellPrompts(prompts: PromptView[]): void {
    this.prompts = prompts;
    this.#promptsChanged = true;
  }

  #ask(
    operation: FakeOperation,
    prompt: { message: string; schema: unknown; round: number; since?: number },
  ): number {
    const id = this.#nextPrompt;
    this.#nextPrompt += 1;
    const server = this.#server(operation.server);
    this.prompts = [
      ...this.prompts,
      {
        id,
        server: server.id,
        server_name: server.name,
        address: server.address,
        operation: operation.id,
        operation_title: `${operation.row.label} ${operation.row.detail ?? ''}`,
        round: prompt.round,
        input_key: 'contact',
        since_micros: prompt.since ?? nowMicros(),
        lapses_micros: null,
        popped_out: false,
        message: prompt.message,
        ask: { kind: 'form', schema: JSON.stringify(prompt.schema) },
      },
    ];
    this.#promptsChanged = true;
    this.#connection(server.id, {
      open_prompts: this.prompts.filter((open) => open.server === server.id).length,
    });
    this.#answers.set(id, (action, content) => {
      const now = nowMicros();
      this.journal.event(operation, 'prompt answered', content ?? action, { at: now });
      const asking = operation.children.findIndex((row) => row.kind === 'prompt' && row.end_micros === null);
      const open = operation.children[asking];
      if (open !== undefined) {
        this.journal.changeChild(operation, asking, {
          state: action === 'accept' ? 'complete' : 'cancelled',
          state_text: { accept: 'accepted', decline: 'declined', cancel: 'cancelled' }[action] ?? action,
          end_micros: now,
          spans: [{ kind: 'user', start_micros: open.start_micros, end_micros: now }],
        });
      }
      this.journal.turn(operation, 'server');
      void this.#finish(operation, {
        kind: 'tool',
        is_error: false,
        content: [{ kind: 'text', text: action === 'accept' ? 'Booked. See you there.' : 'Not booked.' }],
        structured:
          action === 'accept' ? '{\n  "booking": 12345678901234567890,\n  "deposit": 20.00\n}' : null,
        problems: [],
        event: null,
      });
    });
    return id;
  }

  async #finish(operation: FakeOperation, result: CallResult, millis = 40): Promise<void> {
    await this.#sleep(millis);
    if (operation.row.end_micros !== null) return;
    this.#end(operation, result);
  }

  #end(operation: FakeOperation, result: CallResult): void {
    const now = nowMicros();
    this.journal.turn(operation, null, now);
    const bad = result.kind === 'failed' || (result.kind === 'tool' && result.is_error);
    this.journal.change(operation, {
      end_micros: now,
      state: result.kind === 'cancelled' ? 'cancelled' : bad ? 'error' : 'complete',
      state_text:
        result.kind === 'cancelled'
          ? 'cancelled'
          : result.kind === 'failed'
            ? `error ${result.code ?? ''}`
            : bad
              ? 'tool error'
              : 'complete',
    });
    const total = now - operation.row.start_micros;
    const outcome = {
      operation: operation.id,
      result,
      total_micros: total,
      server_micros: total,
      user_micros: 0,
      time_micros: 0,
      from_cache_micros: null,
    };
    this.#outcomes.set(operation.id, outcome);
    this.#ended.push(operation.id);
    this.#cancels.delete(operation.id);
    for (const resolve of this.#waiting.get(operation.id) ?? []) resolve(outcome);
    this.#waiting.delete(operation.id);
  }

  async #progress(operation: FakeOperation, steps: number): Promise<void> {
    for (let step = 1; step <= steps; step += 1) {
      await this.#sleep(300);
      if (operation.row.end_micros !== null) return;
      this.#notify(operation, step, steps);
    }
    await this.#finish(operation, {
      kind: 'tool',
      is_error: false,
      content: [{ kind: 'text', text: `Imported ${steps} rows.` }],
      structured: null,
      problems: [],
      event: null,
    });
  }

  #notify(operation: FakeOperation, step: number, of: number): void {
    const at = nowMicros();
    const message = JSON.stringify({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: {
        progressToken: operation.id,
        progress: step,
        total: of,
        message: `importing row ${step} of ${of}`,
      },
    });
    const event = this.journal.event(operation, 'SSE event', `data: ${message}\n\n`, {
      at,
      direction: 'received',
      carrier: 'sse_event',
    });
    this.journal.child(operation, {
      kind: 'notification',
      depth: 2,
      label: 'notifications/progress',
      detail: `importing row ${step} of ${of}`,
      state: 'note',
      state_text: 'notification',
      start_micros: at,
      end_micros: at,
      event,
    });
  }

  async #flood(operation: FakeOperation, of: number): Promise<void> {
    let sent = 0;
    while (sent < of) {
      if (operation.row.end_micros !== null) return;
      for (let batch = 0; batch < 2000 && sent < of; batch += 1) {
        sent += 1;
        this.#notify(operation, sent, of);
      }
      await this.#sleep(16);
    }
    await this.#finish(operation, {
      kind: 'tool',
      is_error: false,
      content: [{ kind: 'text', text: `Sent ${of} notifications.` }],
      structured: null,
      problems: [],
      event: null,
    });
  }

  #outcome(operation: number): Promise<CallOutcome> {
    const ended = this.#outcomes.get(operation);
    if (ended !== undefined) return Promise.resolve(ended);
    return new Promise((resolve) => {
      this.#waiting.set(operation, [...(this.#waiting.get(operation) ?? []), resolve]);
    });
  }

  #call(server: string, index: number, args: string): number {
    const tool = (this.manyTools ?? toolsOf(server))[index];
    const from = this.#server(server);
    if (tool === undefined)
      throw failure('gone', 'This tool is no longer in the list.', 'Refresh the list of tools.');
    if (from.connection.phase !== 'connected') {
      throw failure('failed', `${from.name} is not connected.`, 'Connect, then call again.');
    }
    const operation = this.journal.start(server, from.name, 'tools/call', tool.name);
    const id = 100 + operation.id;
    const round = this.journal.child(operation, {
      label: `round 1 · id ${id}`,
      state: 'running',
      state_text: 'running',
      spans: [{ kind: 'server', start_micros: nowMicros(), end_micros: null }],
    });
    const reply = (result: unknown): void => {
      const began = operation.row.start_micros;
      const now = nowMicros();
      exchange(this.journal, operation, {
        round: 1,
        attempt: 1,
        label: `round 1 · id ${id}`,
        at: began,
        took: Math.max(500, now - began),
        request: {
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { name: tool.name, arguments: JSON.parse(args) as unknown },
        },
        response: { jsonrpc: '2.0', id, result },
        sse: true,
      });
      this.journal.changeChild(operation, round, {
        state: 'complete',
        state_text: 'complete',
        end_micros: now,
        spans: [{ kind: 'server', start_micros: began, end_micros: now }],
      });
    };
    this.#cancels.set(operation.id, () => {
      this.journal.changeChild(operation, round, {
        state: 'cancelled',
        state_text: 'cancelled',
        end_micros: nowMicros(),
      });
      this.#end(operation, { kind: 'cancelled' });
    });
    const answer = (content: string, isError = false): Promise<void> => {
      const result: CallResult = {
        kind: 'tool',
        is_error: isError,
        content: [{ kind: 'text', text: content }],
        structured: null,
        problems: [],
        event: null,
      };
      return this.#sleep(40).then(() => {
        if (operation.row.end_micros !== null) return;
        reply({ content: [{ type: 'text', text: content }], isError });
        this.#end(operation, result);
      });
    };
    const next = this.nextResult;
    this.nextResult = undefined;
    if (next !== undefined) {
      void this.#finish(operation, next);
      return operation.id;
    }
    switch (tool.name) {
      case 'import_menu':
        void this.#progress(operation, 20);
        break;
      case 'flood':
        void this.#flood(operation, (JSON.parse(args) as { count?: number }).count ?? 100_000);
        break;
      case 'book_table':
        void this.#sleep(60).then(() => {
          reply({ resultType: 'input_required' });
          this.journal.turn(operation, 'user');
          const since = nowMicros();
          this.journal.child(operation, {
            kind: 'prompt',
            depth: 2,
            label: 'form: “How should we reach you?”',
            state: 'waiting_on_you',
            state_text: 'asking you',
            spans: [{ kind: 'user', start_micros: since, end_micros: null }],
          });
          this.journal.change(operation, { state: 'waiting_on_you', state_text: 'waiting on you' });
          this.#ask(operation, {
            message: 'How should we reach you?',
            schema: {
              type: 'object',
              properties: { email: { type: 'string', title: 'Email', format: 'email' } },
              required: ['email'],
            },
            round: 1,
          });
        });
        break;
      case 'always_fails':
        void answer('The kitchen is closed.', true);
        break;
      case 'rejects':
        void this.#finish(operation, {
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
        void this.#finish(operation, {
          kind: 'tool',
          is_error: false,
          content: [
            { kind: 'text', text: 'The ground floor.' },
            { kind: 'image', mime_type: 'image/png', base64: PICTURE, problem: null },
          ],
          structured: null,
          problems: [],
          event: null,
        });
        break;
      default:
        void answer(`${tool.name} was called with ${args}`);
    }
    return operation.id;
  }

  #fetch(server: string, list: ListKind): null {
    const { connection, name } = this.#server(server);
    const method = {
      tools: 'tools/list',
      resources: 'resources/list',
      resource_templates: 'resources/templates/list',
      prompts: 'prompts/list',
    }[list];
    quick(this.journal, server, name, method, null, nowMicros() - 8_000, 8_000, {});
    if (list === 'tools') {
      this.#change(server, {
        tools_version: connection.tools_version + 1,
        tool_count: toolsOf(server).length,
      });
      return null;
    }
    this.lists.fetch(server, list);
    const entries = {
      resources: this.lists.resources(server),
      resource_templates: TEMPLATES,
      prompts: PROMPTS,
    };
    this.#change(server, {
      [list]: { ...connection[list], version: connection[list].version + 1, count: entries[list].length },
    });
    return null;
  }

  #read(server: string, uri: string): number {
    const operation = this.journal.start(server, this.#server(server).name, 'resources/read', uri);
    void this.#finish(operation, {
      kind: 'resource',
      contents: [{ uri, mime_type: 'text/markdown', content: { kind: 'text', text: `# What is at ${uri}` } }],
      problems: [],
      ttl_millis: 60_000,
      scope: 'private',
      event: null,
    });
    return operation.id;
  }

  #get(server: string, name: string, args: string): number {
    const operation = this.journal.start(server, this.#server(server).name, 'prompts/get', name);
    void this.#finish(operation, {
      kind: 'prompt',
      description: null,
      messages: [
        { role: 'user', content: { kind: 'text', text: `${name} with ${args}` } },
        { role: 'assistant', content: { kind: 'text', text: 'Gladly.' } },
      ],
      problems: [],
      event: null,
    });
    return operation.id;
  }

  #save(id: string | null, draft: ServerDraft): string {
    if (draft.name.trim() === '') throw failure('bad_input', 'The server needs a name.');
    const key = id ?? `server-${this.servers.length + 1}`;
    const { endpoint } = draft;
    const view: ServerView = {
      id: key,
      name: draft.name,
      builtin: false,
      transport: endpoint.transport,
      address: endpoint.transport === 'stdio' ? [endpoint.command, ...endpoint.args].join(' ') : endpoint.url,
      draft,
      connection: this.servers.find((server) => server.id === key)?.connection ?? disconnected(),
    };
    this.servers =
      id === null
        ? [...this.servers, view]
        : this.servers.map((server) => (server.id === id ? view : server));
    this.#serversChanged = true;
    return key;
  }

  readonly #handlers: Handlers = {
    ...this.keptCalls.handlers,
    ...this.logs.handlers,
    ack: () => {
      this.#inFlight = Math.max(0, this.#inFlight - 1);
      return null;
    },
    read_paste: ({ text }) => readPaste(text),
    save_server: ({ server, draft }) => this.#save(server, draft),
    remove_server: ({ server }) => {
      this.#removed = this.#server(server);
      this.servers = this.servers.filter((one) => one.id !== server);
      this.#serversChanged = true;
      return null;
    },
    restore_server: ({ server }) => {
      if (this.#removed?.id !== server) throw failure('gone', 'This server was removed too long ago.');
      this.servers = [...this.servers, { ...this.#removed, connection: disconnected() }];
      this.#serversChanged = true;
      return null;
    },
    connect: ({ server, era }) => {
      void this.#connect(server, era === 'legacy');
      return null;
    },
    settled: ({ server }) => {
      const found = this.servers.find((one) => one.id === server);
      if (found === undefined) throw failure('gone', 'This server was removed.');
      return found.connection;
    },
    servers: () => this.servers,
    events: () => ({ events: [] }),
    disconnect: ({ server }) => {
      this.#connection(server, disconnected());
      this.prompts = this.prompts.filter((prompt) => prompt.server !== server);
      this.#promptsChanged = true;
      return null;
    },
    tools: ({ server }): ListView<ToolView> => {
      const { connection } = this.#server(server);
      const ready = connection.tools_version > 0;
      return {
        state: ready ? { kind: 'ready' } : { kind: 'unasked' },
        entries: ready ? (this.manyTools ?? toolsOf(server)) : [],
        gone: [],
        operation: null,
        declared: true,
        freshness: null,
      };
    },
    resources: ({ server }) =>
      this.lists.view(
        server,
        'resources',
        this.#server(server).connection.resources.declared,
        this.lists.resources(server),
      ),
    resource_templates: ({ server }) =>
      this.lists.view(
        server,
        'resource_templates',
        this.#server(server).connection.resource_templates.declared,
        TEMPLATES,
      ),
    prompts: ({ server }) =>
      this.lists.view(server, 'prompts', this.#server(server).connection.prompts.declared, PROMPTS),
    fetch_list: ({ server, list }) => this.#fetch(server, list),
    fetch_more: () => null,
    read_resource: ({ server, uri }) => this.#read(server, uri),
    expand_template: ({ uri_template, values }) =>
      expand(uri_template, JSON.parse(values) as Record<string, string>),
    get_prompt: ({ server, name, arguments: args }) => this.#get(server, name, args),
    complete: async ({ value }) => {
      await this.#sleep(20);
      return complete(value);
    },
    refresh_tools: ({ server }) => {
      const { connection, name } = this.#server(server);
      quick(this.journal, server, name, 'tools/list', null, nowMicros() - 8_000, 8_000, { tools: [] });
      this.#connection(server, {
        tools_version: connection.tools_version + 1,
        tool_count: toolsOf(server).length,
      });
      return null;
    },
    call_tool: async ({ server, tool, arguments: args, outcome_within_millis }) => {
      const operation = this.#call(server, tool, args);
      const ended = this.keptCalls.note(server, (this.manyTools ?? toolsOf(server))[tool]?.name ?? '', args);
      void this.#outcome(operation).then(({ result, total_micros }) => {
        const good = result.kind === 'tool' && !result.is_error;
        const words = good ? 'complete' : result.kind === 'tool' ? 'tool error' : result.kind;
        ended({ words, good, total_micros });
      });
      const tooLate = this.#sleep(outcome_within_millis).then(() => null);
      return { operation, outcome: await Promise.race([this.#outcome(operation), tooLate]) };
    },
    subscribe: ({ server }) => {
      throw failure('failed', `The server ${server} tells of nothing here.`);
    },
    unsubscribe: ({ operation }) => {
      throw failure('gone', `Operation ${String(operation)} listens to nothing.`);
    },
    subscriptions: () => ({ subscriptions: [] }),
    tasks: ({ server }) => ({
      tasks: [...this.tasks.all.values()].filter((task) => server === null || task.server === server),
    }),
    poll_task: (args) => this.tasks.poll(args, this.#server(args.server).name),
    cancel_task: (args) => this.tasks.cancel(args),
    pace_task: (args) => this.tasks.pace(args),
    cancel_tasks: (args) => this.tasks.cancelAll(args),
    forget_tasks: (args) => this.tasks.forget(args),
    recall_tasks: (args) => this.tasks.recall(args),
    request: ({ method }) => {
      throw failure('failed', `There is no server here that could answer ${method}.`);
    },
    compose: (args) => {
      const { name } = this.#server(args.server);
      const sent = quick(this.journal, args.server, name, 'composed', null, nowMicros() - 9_000, 9_000, {});
      this.#replies.set(sent.id, answerTo(args, sent.id));
      return sent.id;
    },
    reply: ({ operation }) => {
      const known = this.#replies.get(operation);
      if (known !== undefined) return known;
      throw failure('gone', `Operation ${String(operation)} kept no reply as it came.`);
    },
    outcome: ({ operation }) => this.#outcome(operation),
    cancel: ({ operation }) => {
      this.#cancels.get(operation)?.();
      return null;
    },
    look: ({ look }) => {
      this.#look = look;
      return structuredClone(this.#patch(true));
    },
    fold: ({ operation, expanded }) => {
      const found = this.journal.operations[operation];
      if (found !== undefined) this.journal.change(found, { expanded });
      return null;
    },
    locate: ({ operation }) => {
      const index = this.journal
        .rows(this.#look.filter, this.#look.server, this.#look.line)
        .findIndex((row) => row.key === `o${operation}`);
      return { index: index < 0 ? null : index };
    },
    locate_row: ({ key }) => {
      const rows = this.journal.rows(this.#look.filter, this.#look.server, this.#look.line);
      const index = rows.findIndex((row) => row.key === key);
      return { index: index < 0 ? null : index };
    },
    locate_time: ({ at_micros }) => ({
      index: rowAt(this.journal.rows(this.#look.filter, this.#look.server, this.#look.line), at_micros),
    }),
    density: () => density(this.journal),
    findings: ({ server }) => findings(this.journal, server),
    finding_places: (args) => findingPlaces(this.journal, args),
    read_filter: ({ line, cursor }) => readFilter(line, cursor, this.journal.names()),
    step: (args) => stepped(this.journal.rows(this.#look.filter, this.#look.server, this.#look.line), args),
    stop_search: () => null,
    row: ({ key }) => structuredClone(details(this.journal, key)),
    body: ({ event, form, limit }) => this.journal.body(event, form, limit),
    mirrors: ({ operation, exchange: index }) => ({ headers: mirrors(this.journal, operation, index) }),
    event_content: ({ event }) => content(this.journal, event),
    resend: ({ request, of, round, changed }) => {
      const { name } = this.#server(request.server);
      const sent = quick(
        this.journal,
        request.server,
        name,
        request.method,
        null,
        nowMicros() - 9_000,
        9_000,
        {},
      );
      this.journal.child(sent, {
        kind: 'notification',
        label: `${changed ? 'Branch of' : 'Sent again from'} #${of}, round ${round}`,
        state: 'note',
        state_text: 'note',
      });
      return sent.id;
    },
    body_lines: (args) => this.documents.lines(args),
    find_lines: (args) => this.documents.find(args),
    json_children: ({ event, at, start, len }) => this.documents.children(event, at, start, len),
    json_value: ({ event, at }) => this.documents.value(event, at),
    find_json: ({ event, text }) => this.documents.findJson(event, text),
    save_content: ({ name, content }) => {
      this.documents.saved.set(name, content);
      return `/home/ana/Downloads/${name}`;
    },
    operation_events: ({ operation, start, len }) =>
      (this.journal.operations[operation]?.events ?? [])
        .slice(start, start + Math.min(400, len))
        .flatMap((seq) => this.journal.events[seq]?.line ?? []),
    ...this.recordings.commands,
    ...this.transfers.commands,
    ...this.secrets.commands,
    answer_prompt: ({ prompt, action, content }) => {
      const open = this.prompts.find((one) => one.id === prompt);
      if (open === undefined) throw failure('gone', 'This prompt was answered or withdrawn already.');
      this.prompts = this.prompts.filter((one) => one.id !== prompt);
      this.#promptsChanged = true;
      this.#connection(open.server, {
        open_prompts: this.prompts.filter((one) => one.server === open.server).length,
      });
      this.#answers.get(prompt)?.(action, content);
      return null;
    },
    ...this.sampling.handlers,
    keep_draft: ({ prompt, draft }) => {
      this.drafts.set(prompt, draft);
      return null;
    },
    draft: ({ prompt }) => this.drafts.get(prompt) ?? '',
    link: () => null,
    agreed_hosts: ({ server }) => this.hosts.of(server),
    forget_host: ({ server, host }) => this.hosts.forget(server, host),
    sign_in: ({ server, step_by_step }) => this.signIns.start(server, step_by_step),
    sign_in_next: ({ to_the_end }) => this.signIns.next(to_the_end),
    sign_in_view: ({ server }) => this.signIns.view(server),
    save_sign_in: ({ server, options, secrets }) =>
      this.signIns.save(server, options, Object.keys(secrets ?? {})),
    sign_out: ({ server }) => this.signIns.signOut(server),
    validate: ({ schema, value }) => validate(schema, value),
    preferences: () => this.preferences,
    save_preferences: ({ json }) => {
      this.preferences = json;
      return null;
    },
  };
}

/** The fake as the page's address asks for it: `?fake&rows=100000&fresh&empty&prompts=links`. */
export function fakeFromAddress(search: string): FakeHost {
  const query = new URLSearchParams(search);
  const rows = Number(query.get('rows') ?? '0');
  const host = new FakeHost({
    story: !query.has('empty'),
    fresh: query.has('fresh'),
    ...(rows > 0 ? { rows } : {}),
    ...(query.has('tasks') ? { tasks: Number(query.get('tasks')) || true } : {}),
  });
  if (query.has('logs'))
    for (const { id } of host.servers) host.logs.write(id, Number(query.get('logs')) || 60);
  if (query.get('prompts') === 'links') host.tellPrompts(sampleLinks(nowMicros()));
  return host;
}
