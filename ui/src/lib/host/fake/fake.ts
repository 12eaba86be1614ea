import type { FeedBatch } from '$lib/bindings/FeedBatch';
import type { Arguments, CommandName, Detach, Host, Reply } from '../host';
import { FakeAbout } from './about';
import { FakeCalls } from './calls';
import { disconnected } from './catalog';
import { FakeDocuments } from './documents';
import { FakeFeed } from './feed';
import type { Handlers, Sleep } from './handlers';
import { FakeJournal, nowMicros } from './journal';
import { FakeKeptCalls } from './kept-calls';
import { FakeHosts, sampleLinks } from './links';
import { FakeLists } from './lists';
import { FakeLogs } from './logs';
import { FakeOutcomes, toolResult } from './outcomes';
import { FakePrompts } from './prompts';
import { reading } from './reading';
import { FakeRecordings } from './recordings';
import { FakeSampling } from './sampling';
import { FakeSecrets } from './secrets';
import { FakeServers } from './servers';
import { FakeSignIns } from './sign-in';
import { fill, prologue, QUESTION } from './story';
import { FakeSubscriptions } from './subscriptions';
import { FakeTasks } from './tasks';
import { FakeTimeline } from './timeline';
import { FakeTransfers } from './transfers';
import { validate } from './typed';

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

/** A core in the page: for a plain browser, for tests and for looking at screens. */
export class FakeHost implements Host {
  /** Calls of `rpc`, for tests. */
  readonly asked: { name: CommandName; args: unknown }[] = [];
  /** What went where the person chose, for tests. */
  readonly savedAs: Arguments<'save_content'>[] = [];
  preferences = '{}';
  /** The folders that are chosen in the system's dialog. */
  picked: readonly string[] = ['/home/ana/projects/menu'];

  #pace = 1;
  readonly #sleep: Sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis * this.#pace));

  readonly journal = new FakeJournal();
  readonly documents = new FakeDocuments(this.journal);
  readonly timeline = new FakeTimeline(this.journal);
  readonly signIns: FakeSignIns = new FakeSignIns(
    this.#sleep,
    (server, sign_in) => this.servers.set(server, { sign_in }),
    (server) => void this.servers.connect(server, false),
  );
  readonly servers = new FakeServers(
    this.journal,
    this.#sleep,
    (server) => this.signIns.view(server).signed_in !== null,
  );
  readonly lists = new FakeLists(this.journal, this.servers, this.#sleep);
  readonly outcomes = new FakeOutcomes(this.journal, this.#sleep);
  readonly prompts = new FakePrompts(this.journal, this.servers, (operation, isAccepted) => {
    const structured = isAccepted ? '{\n  "booking": 12345678901234567890,\n  "deposit": 20.00\n}' : null;
    const text = isAccepted ? 'Booked. See you there.' : 'Not booked.';
    void this.outcomes.finish(operation, toolResult(text, { structured }));
  });
  readonly keptCalls = new FakeKeptCalls();
  readonly calls = new FakeCalls({
    journal: this.journal,
    servers: this.servers,
    lists: this.lists,
    prompts: this.prompts,
    outcomes: this.outcomes,
    keptCalls: this.keptCalls,
    sleep: this.#sleep,
  });
  readonly tasks = new FakeTasks(nowMicros);
  readonly feed = new FakeFeed({
    journal: this.journal,
    timeline: this.timeline,
    servers: this.servers,
    prompts: this.prompts,
    tasks: this.tasks,
    outcomes: this.outcomes,
  });
  readonly about = new FakeAbout();
  readonly subscriptions = new FakeSubscriptions(this.servers);
  readonly hosts = new FakeHosts();
  readonly logs = new FakeLogs();
  readonly recordings = new FakeRecordings();
  readonly transfers = new FakeTransfers(this.recordings);
  readonly secrets = new FakeSecrets();
  /** Sampling requests, and the answers that were saved. */
  readonly sampling = new FakeSampling();

  constructor(options: FakeOptions = {}) {
    this.#pace = options.pace ?? 1;
    const { servers, journal } = this;
    const isStory = options.story === true;
    if (options.fresh === true) servers.all = servers.all.filter((server) => server.builtin);
    if (!isStory) servers.all = servers.all.map((server) => ({ ...server, connection: disconnected() }));
    const now = nowMicros();
    if (options.rows !== undefined) fill(journal, options.rows, now);
    if (options.tasks !== undefined) this.tasks.begin(options.tasks, journal.operations.length);
    if (isStory && options.fresh !== true) {
      this.recordings.tell();
      this.secrets.tell();
      this.prompts.askFor(prologue(journal, now), { ...QUESTION, since: now - 1_700_000 });
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
    return Promise.resolve(this.feed.attach(onBatch));
  }

  /** Sends what changed; tests call it instead of waiting. */
  tick(): void {
    this.feed.tick();
  }

  /** Something happened that no row tells of. */
  tellSomething(): void {
    for (const { id, connection } of this.servers.all) {
      this.servers.change(id, { since_micros: connection.since_micros + 1 });
    }
    this.tick();
  }

  zoom(factor: number): Promise<void> {
    document.documentElement.style.zoom = String(factor);
    return Promise.resolve();
  }

  popOut(prompt: number): Promise<void> {
    this.prompts.pop(prompt, true);
    return Promise.resolve();
  }

  closeAsked(leaves: boolean): Promise<void> {
    this.prompts.closeAsked(leaves);
    return Promise.resolve();
  }

  pickFolders(): Promise<readonly string[]> {
    return Promise.resolve(this.picked);
  }

  saveContentAs(args: Arguments<'save_content'>): Promise<string | null> {
    this.savedAs.push(args);
    return Promise.resolve(`/home/ana/chosen/${args.name}`);
  }

  saveExport(transfer: number): Promise<string | null> {
    return Promise.resolve(this.transfers.save(transfer));
  }

  importFile(): Promise<number | null> {
    return Promise.resolve(this.transfers.import());
  }

  readonly #handlers: Handlers = {
    ...this.servers.handlers,
    ...this.lists.handlers,
    ...this.calls.handlers,
    ...this.outcomes.handlers,
    ...this.prompts.handlers,
    ...this.timeline.handlers,
    ...this.feed.handlers,
    ...reading(this.journal, this.documents),
    ...this.keptCalls.handlers,
    ...this.logs.handlers,
    ...this.recordings.handlers,
    ...this.transfers.handlers,
    ...this.secrets.handlers,
    ...this.sampling.handlers,
    disconnect: ({ server }) => {
      this.servers.disconnect(server);
      this.prompts.leave(server);
      return null;
    },
    events: () => ({ events: [] }),
    save_content: ({ name, content }) => {
      this.documents.saved.set(name, content);
      return `/home/ana/Downloads/${name}`;
    },
    ...this.about.handlers,
    ...this.subscriptions.handlers,
    tasks: ({ server }) => ({
      tasks: [...this.tasks.all.values()].filter((task) => server === null || task.server === server),
    }),
    poll_task: (args) => this.tasks.poll(args, this.servers.get(args.server).name),
    cancel_task: (args) => this.tasks.cancel(args),
    pace_task: (args) => this.tasks.pace(args),
    cancel_tasks: (args) => this.tasks.cancelAll(args),
    forget_tasks: (args) => this.tasks.forget(args),
    recall_tasks: (args) => this.tasks.recall(args),
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
    for (const { id } of host.servers.all) host.logs.write(id, Number(query.get('logs')) || 60);
  if (query.get('prompts') === 'links') host.prompts.all = sampleLinks(nowMicros());
  return host;
}
