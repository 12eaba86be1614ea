import type { ConnectionView } from '$lib/bindings/ConnectionView';
import type { ServerDraft } from '$lib/bindings/ServerDraft';
import type { ServerView } from '$lib/bindings/ServerView';
import { connected, disconnected, servers, toolsOf } from './catalog';
import { quick } from './exchanges';
import { failure } from './failure';
import type { Handlers, Sleep } from './handlers';
import { nowMicros, type FakeJournal } from './journal';
import { readPaste } from './typed';

type OfServers =
  'read_paste' | 'save_server' | 'remove_server' | 'restore_server' | 'connect' | 'settled' | 'servers';

/** The catalog, and the connection of each server. */
export class FakeServers {
  readonly #journal: FakeJournal;
  readonly #sleep: Sleep;
  readonly #isSignedIn: (server: string) => boolean;
  #all = servers();
  #removed: ServerView | undefined;
  #isNews = true;

  constructor(journal: FakeJournal, sleep: Sleep, isSignedIn: (server: string) => boolean) {
    this.#journal = journal;
    this.#sleep = sleep;
    this.#isSignedIn = isSignedIn;
  }

  get all(): ServerView[] {
    return this.#all;
  }

  set all(servers: ServerView[]) {
    this.#all = servers;
    this.#isNews = true;
  }

  /** A page has come that knows nothing. */
  attached(): void {
    this.#isNews = true;
  }

  get hasNews(): boolean {
    return this.#isNews;
  }

  patch(): ServerView[] | null {
    if (!this.#isNews) return null;
    this.#isNews = false;
    return this.#all;
  }

  /** @throws when it is not in the catalog */
  get(id: string): ServerView {
    const found = this.#all.find((server) => server.id === id);
    if (found === undefined) throw failure('gone', 'This server was removed from the catalog.');
    return found;
  }

  set(id: string, change: Partial<ServerView>): void {
    this.all = this.#all.map((server) => (server.id === id ? { ...server, ...change } : server));
  }

  /** Another connection, or another phase of it. */
  turn(id: string, change: Partial<ConnectionView>): void {
    this.change(id, { since_micros: nowMicros(), ...change });
  }

  /** A change within a connection, which stays the same one. */
  change(id: string, change: Partial<ConnectionView>): void {
    this.all = this.#all.map((server) =>
      server.id === id ? { ...server, connection: { ...server.connection, ...change } } : server,
    );
  }

  disconnect(id: string): void {
    this.turn(id, disconnected());
  }

  async connect(id: string, legacy: boolean): Promise<void> {
    const server = this.get(id);
    const method = legacy ? 'initialize' : 'server/discover';
    this.turn(id, { ...disconnected(), phase: 'connecting', step: 'starting the program' });
    await this.#sleep(250);
    if (this.get(id).connection.phase !== 'connecting') return;
    this.turn(id, { step: `waiting for the answer to ${method}` });
    const isRefused = server.address.includes('billing') && !this.#isSignedIn(id);
    const broken = isRefused || server.address.includes('nowhere');
    await this.#sleep(broken ? 1200 : 300);
    if (this.get(id).connection.phase !== 'connecting') return;
    if (broken) this.#refuse(server, method);
    else this.#welcome(server, method, legacy);
  }

  #refuse({ id, name, address }: ServerView, method: string): void {
    const operation = this.#journal.start(id, name, method, null);
    this.#journal.turn(operation, null);
    this.#journal.change(operation, { state: 'error', state_text: 'HTTP 401', end_micros: nowMicros() });
    this.turn(id, {
      phase: 'failed',
      step: null,
      operation: operation.id,
      error: {
        code: 'sign_in_needed',
        message: `${address} answered HTTP 401 (Bearer realm="billing").`,
        hint: 'Add an Authorization header to the server, or sign in where it issues tokens.',
      },
    });
  }

  #welcome({ id, name, transport }: ServerView, method: string, legacy: boolean): void {
    quick(this.#journal, id, name, method, null, nowMicros() - 12_000, 12_000, { resultType: 'complete' });
    quick(this.#journal, id, name, 'tools/list', null, nowMicros(), 4_000, { tools: [] });
    this.turn(id, {
      ...connected(legacy ? 'legacy' : 'modern', name, toolsOf(id).length),
      pid: transport === 'stdio' ? 5120 : null,
    });
  }

  #save(id: string | null, draft: ServerDraft): string {
    if (draft.name.trim() === '') throw failure('bad_input', 'The server needs a name.');
    const key = id ?? `server-${this.#all.length + 1}`;
    const { endpoint } = draft;
    const view: ServerView = {
      id: key,
      name: draft.name,
      builtin: false,
      transport: endpoint.transport,
      address: endpoint.transport === 'stdio' ? [endpoint.command, ...endpoint.args].join(' ') : endpoint.url,
      draft,
      connection: this.#all.find((server) => server.id === key)?.connection ?? disconnected(),
    };
    this.all =
      id === null ? [...this.#all, view] : this.#all.map((server) => (server.id === id ? view : server));
    return key;
  }

  readonly handlers: Handlers<OfServers> = {
    read_paste: ({ text }) => readPaste(text),
    save_server: ({ server, draft }) => this.#save(server, draft),
    remove_server: ({ server }) => {
      this.#removed = this.get(server);
      this.all = this.#all.filter((one) => one.id !== server);
      return null;
    },
    restore_server: ({ server }) => {
      if (this.#removed?.id !== server) throw failure('gone', 'This server was removed too long ago.');
      this.all = [...this.#all, { ...this.#removed, connection: disconnected() }];
      return null;
    },
    connect: ({ server, era }) => {
      void this.connect(server, era === 'legacy');
      return null;
    },
    settled: ({ server }) => this.get(server).connection,
    servers: () => this.#all,
  };
}
