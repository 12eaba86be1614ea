import { getContext, setContext } from 'svelte';
import type { BranchView } from '$lib/bindings/BranchView';
import type { EraChoice } from '$lib/bindings/EraChoice';
import type { ErrorView } from '$lib/bindings/ErrorView';
import type { FeedBatch } from '$lib/bindings/FeedBatch';
import type { PromptView } from '$lib/bindings/PromptView';
import type { RecordingView } from '$lib/bindings/RecordingView';
import type { ServerView } from '$lib/bindings/ServerView';
import type { StatusView } from '$lib/bindings/StatusView';
import { errorView, type Host } from '$lib/host/host';
import { clock } from './clock.svelte';
import { Composer } from './composer.svelte';
import { Details } from './details.svelte';
import { Drafts } from './drafts';
import { Feed } from './feed';
import { Find } from './find.svelte';
import { Findings } from './findings.svelte';
import { PerServer } from './lasting.svelte';
import { ServerLogs } from './logs.svelte';
import { leave, taken } from './reload';
import { preferences, type Preferences } from './preferences.svelte';
import { Resending } from './resending.svelte';
import { Recordings, titleOf, type Past } from './recordings.svelte';
import { Timeline } from './timeline.svelte';
import { Tasks } from './tasks.svelte';
import { Secrets } from './secrets.svelte';
import { Toasts } from './toasts.svelte';
import { Exports, Imports } from './transfers.svelte';
import { visibleLine } from '$lib/text/visible';
import { ServerOffers } from './offers.svelte';
import { ServerTools } from './tools.svelte';

const NO_STATUS: StatusView = {
  event_count: 0,
  byte_len: 0,
  running: 0,
  recording: null,
  file_problem: null,
  keyring: null,
};

/** Everything that the window shows, fed by the core. */
export class App {
  /** The running session: what the core does and feeds. */
  readonly core: Host;
  readonly live: { readonly timeline: Timeline; readonly details: Details; readonly find: Find };
  readonly exports: Exports;
  readonly imports: Imports;
  readonly findings: Findings;
  readonly recordings: Recordings;
  readonly tasks: Tasks;
  readonly resending: Resending;
  readonly preferences: Preferences = preferences;
  readonly toasts = new Toasts();
  readonly secrets: Secrets;
  readonly drafts: Drafts;
  /** The prompt whose own window this page stands in; undefined for the main page. */
  readonly ownPrompt: number | undefined;

  /** Until the first batch the lists are not empty but unknown. */
  ready = $state(false);
  servers: readonly ServerView[] = $state.raw([]);
  prompts: readonly PromptView[] = $state.raw([]);
  status: StatusView = $state.raw(NO_STATUS);
  feedProblem: ErrorView | null = $state.raw(null);
  /** An action on a server that was refused, shown at that server. */
  refusals: Readonly<Record<string, ErrorView>> = $state.raw({});

  /** The dialog to add a server (`true`) or to edit one. */
  editing: ServerView | true | null = $state.raw(null);
  paletteOpen = $state(false);
  settingsOpen = $state(false);
  shortcutsOpen = $state(false);
  removing: ServerView | null = $state.raw(null);
  /** A wish to put the focus into the chosen tool's form. */
  focusTool = $state(0);
  /** The prompt that the queue shows; null for the first. */
  shownPrompt: number | null = $state(null);
  /** A wish to put the focus into the shown prompt, until it is there. */
  focusPrompt = $state(false);

  chosen = $derived.by(
    () => this.servers.find((server) => server.id === this.preferences.values.server) ?? this.servers[0],
  );
  chosenTools = $derived.by(() => (this.chosen === undefined ? undefined : this.toolsOf(this.chosen.id)));

  readonly #feed: Feed;
  readonly #tools = new PerServer((server) => {
    const tools = new ServerTools(this.core, server);
    const left = this.#left.get(server);
    if (left !== undefined) tools.resume(left);
    return tools;
  });
  readonly #offers = new PerServer((server) => new ServerOffers(this.core, server));
  readonly #logs = new PerServer((server) => new ServerLogs(this.core, server));
  readonly #composers = new PerServer((server) => new Composer(this.core, server));
  /** What the page before this one left. */
  readonly #left = taken();
  /** Something was asked for that the feed is to tell of, and it has told nothing since. */
  #expectsNews = false;

  constructor(host: Host, ownPrompt?: number) {
    this.core = host;
    this.ownPrompt = ownPrompt;
    this.drafts = new Drafts(host);
    this.secrets = new Secrets(host, this.toasts);
    const timeline = new Timeline(host);
    this.live = { timeline, details: new Details(host), find: new Find(host, timeline) };
    this.findings = new Findings(host);
    this.exports = new Exports(host);
    this.imports = new Imports(host);
    this.recordings = new Recordings(host);
    this.tasks = new Tasks(host);
    this.resending = new Resending(this);
    const sink = {
      apply: (batch: FeedBatch): void => this.#apply(batch),
      attached: (): void => {
        // A prompt's own window shows no timeline.
        if (ownPrompt === undefined) this.live.timeline.attached();
      },
      working: (): boolean => this.#working(),
      problem: (error: unknown): void => {
        this.feedProblem = error === null ? null : errorView(error);
      },
    };
    this.#feed = new Feed(host, sink, ownPrompt);
  }

  start(): void {
    this.#feed.start();
    if (this.ownPrompt === undefined) void this.recordings.refresh();
  }

  /** The recording that is looked at; `null` for the running session. */
  get past(): Past | null {
    return this.recordings.past;
  }

  /** The door to what is looked at. Commands that are about no journal reach the core through it as well. */
  get host(): Host {
    return this.past?.host ?? this.core;
  }

  /** The timeline that is looked at. */
  get timeline(): Timeline {
    return this.past?.timeline ?? this.live.timeline;
  }

  /** Its filter line. */
  get find(): Find {
    return this.past?.find ?? this.live.find;
  }

  /** The details of its selected row. */
  get details(): Details {
    return this.past?.details ?? this.live.details;
  }

  /** Asks as what the selected rows are to be taken away. */
  askToExportSelected(): void {
    this.askToExport();
    if (this.exports.wish?.selected.length !== 0) this.exports.choose({ scope: 'rows' });
  }

  /** Asks what of a journal is to be taken away: of what is looked at, or of this recording. */
  askToExport(view?: RecordingView): void {
    const { timeline, recordings } = this;
    const shown = recordings.past?.view ?? recordings.all.find(({ state }) => state === 'running');
    const isShown = view === undefined || view.id === shown?.id;
    const of = view ?? shown;
    const isRunning = of === undefined || of.state === 'running';
    const isNarrowed = timeline.line !== '' || timeline.filter !== 'all' || timeline.server !== null;
    const wish = {
      recording: isRunning ? null : of.id,
      title: isRunning ? 'This session' : titleOf(of),
      shown: isShown && isNarrowed ? timeline.topRows : null,
      selected: isShown ? timeline.selectedKeys : [],
    };
    // Who has picked several rows has said what is wanted.
    const picked = isShown && timeline.picked.size > 1 ? 'rows' : null;
    this.exports.open(wish, picked ?? (wish.shown === null ? 'all' : 'shown'));
  }

  /** Lets the person choose a file, brings it in, and looks at it. */
  async importFile(): Promise<void> {
    const brought = await this.imports.choose();
    if (brought === null) return;
    await this.recordings.refresh();
    await this.recordings.open(brought.recording, brought.notes);
  }

  /** The page goes: what it alone knows is kept for the next one. */
  leave(): void {
    const tools = this.#tools.entries().map(([server, one]) => [server, one.leave()] as const);
    this.drafts.leave();
    if (this.ownPrompt === undefined) leave(new Map([...this.#left, ...tools]));
  }

  stop(): void {
    this.#feed.stop();
  }

  #working(): boolean {
    return (
      this.#expectsNews ||
      this.status.running > 0 ||
      // Told by the calls themselves: a feed that has stopped tells nothing of what runs.
      [...this.#tools.values(), ...this.#offers.values()].some((one) => one.isCalling) ||
      this.servers.some(
        ({ connection }) => connection.phase === 'connecting' || connection.phase === 'disconnecting',
      )
    );
  }

  #apply(batch: FeedBatch): void {
    clock.set(batch.now_micros);
    this.#expectsNews = false;
    if (batch.servers !== null) {
      this.servers = batch.servers;
      for (const { id, connection } of batch.servers) {
        // Each connection counts its lists from the start, so a number alone would not tell a new one's from the old.
        const version = `${connection.since_micros} ${connection.tools_version}`;
        if (connection.phase === 'connected' && this.ownPrompt === undefined) {
          void this.toolsOf(id).sync(version);
          const { resources, templates, prompts } = this.offersOf(id);
          const of = (list: { version: number }): string => `${connection.since_micros} ${list.version}`;
          void resources.sync(of(connection.resources));
          void templates.sync(of(connection.resource_templates));
          void prompts.sync(of(connection.prompts));
        }
      }
    }
    if (batch.prompts !== null) {
      const known = new Set(this.prompts.map((prompt) => prompt.id));
      const isNews = this.ready && batch.prompts.some((prompt) => !known.has(prompt.id));
      this.prompts = batch.prompts;
      this.drafts.sync(batch.prompts);
      const { shownPrompt: shown } = this;
      // The next in the queue takes the place of one that is over.
      if (shown !== null && !batch.prompts.some(({ id }) => id === shown)) {
        this.shownPrompt = batch.prompts.find(({ id }) => id > shown)?.id ?? null;
      }
      // A prompt needs the person; one that nobody sees would look like a slow server.
      if (isNews && this.ownPrompt === undefined) this.preferences.set({ rightOpen: true });
    }
    if (batch.tasks !== null) this.tasks.apply(batch.tasks);
    if (batch.status !== null) {
      this.status = batch.status;
      this.live.timeline.axis.changed();
      this.live.find.enter(batch.status.recording ?? '');
    }
    const { timeline, details, find } = this.live;
    if (batch.timeline !== null) {
      timeline.receive(batch.timeline);
      find.wentOn();
    }
    const shown = details.details?.operation;
    if (shown !== undefined && shown !== null && batch.touched.includes(shown)) details.refresh();
    this.ready = true;
  }

  toolsOf(server: string): ServerTools {
    return this.#tools.of(server);
  }

  offersOf(server: string): ServerOffers {
    return this.#offers.of(server);
  }

  /** A server's log, as it was left. */
  logsOf(server: string): ServerLogs {
    return this.#logs.of(server);
  }

  /** What is written by hand for a server, as it was left. */
  composerOf(server: string): Composer {
    return this.#composers.of(server);
  }

  choose(server: string): void {
    this.preferences.set({ server });
  }

  /** Shows a prompt of the queue, and puts the focus into it. */
  showPrompt(prompt: number): void {
    this.preferences.set({ rightOpen: true });
    this.shownPrompt = prompt;
    this.focusPrompt = true;
  }

  /** Opens the page of tasks: the chosen server's, or all. */
  showTasks(ofAll: boolean): void {
    this.tasks.ofAll = ofAll;
    this.preferences.set({ tab: 'tasks' });
  }

  async #act(server: string, action: () => Promise<unknown>): Promise<boolean> {
    const { [server]: _, ...others } = this.refusals;
    this.refusals = others;
    this.#expectsNews = true;
    try {
      await action();
      return true;
    } catch (error) {
      this.#expectsNews = false;
      this.refusals = { ...this.refusals, [server]: errorView(error) };
      return false;
    }
  }

  async connect(server: string, era: EraChoice | null = null): Promise<void> {
    this.choose(server);
    await this.#act(server, () => this.core.rpc('connect', { server, era }));
  }

  async disconnect(server: string): Promise<void> {
    await this.#act(server, () => this.core.rpc('disconnect', { server }));
  }

  async reconnect(server: string): Promise<void> {
    await this.disconnect(server);
    await this.connect(server);
  }

  /** Removes a server, after asking where the person wants to be asked. */
  askToRemove(server: ServerView): void {
    if (this.preferences.values.confirmDestructive) this.removing = server;
    else void this.remove(server);
  }

  /** Whether it is gone now. */
  async remove(server: ServerView): Promise<boolean> {
    const gone = await this.#act(server.id, () => this.core.rpc('remove_server', { server: server.id }));
    if (gone) {
      this.toasts.say(`Removed ${visibleLine(server.name)}.`, () => void this.#restore(server));
    }
    return gone;
  }

  async #restore(server: ServerView): Promise<void> {
    this.#expectsNews = true;
    try {
      await this.core.rpc('restore_server', { server: server.id });
      this.choose(server.id);
    } catch (error) {
      const { message, hint } = errorView(error);
      const name = visibleLine(server.name);
      this.toasts.say(`${name} could not be brought back: ${message} ${hint ?? ''}`, undefined, 'error');
    }
  }

  /** Remembers another era for a server. */
  async setEra(server: ServerView, era: EraChoice): Promise<void> {
    const { draft } = server;
    if (draft === null) return;
    await this.#act(server.id, () =>
      this.core.rpc('save_server', { server: server.id, draft: { ...draft, era }, session_only: false }),
    );
  }

  /** Selects the row of an event of the running session: its operation's, or its own where it belongs to none. */
  async revealEvent(event: { event: number; operation: number | null }): Promise<void> {
    if (event.operation !== null) {
      await this.reveal(event.operation);
      return;
    }
    this.recordings.leave();
    this.preferences.set({ rightOpen: true });
    await this.live.timeline.revealLoose(event.event, () => {
      this.preferences.set({ thisServerOnly: false });
      this.find.clear();
    });
  }

  /** Goes to the other end of a branch: in what is looked at, or in the recording that it is of. */
  async follow({ operation, recording }: BranchView): Promise<void> {
    if (recording !== null) await this.recordings.open(recording);
    this.preferences.set({ rightOpen: true });
    await this.timeline.reveal(operation, () => {
      this.preferences.set({ thisServerOnly: false });
      this.find.clear();
    });
  }

  /** Selects an operation of the running session in the timeline and opens its details. */
  async reveal(operation: number): Promise<void> {
    this.recordings.leave();
    this.preferences.set({ rightOpen: true });
    await this.live.timeline.reveal(operation, () => {
      this.preferences.set({ thisServerOnly: false });
      this.live.find.clear();
    });
  }
}

const KEY = Symbol('app');

export function provideApp(app: App): App {
  return setContext(KEY, app);
}

export function useApp(): App {
  return getContext<App>(KEY);
}
