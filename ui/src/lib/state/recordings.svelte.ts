import type { ErrorView } from '$lib/bindings/ErrorView';
import type { OpenedRecording } from '$lib/bindings/OpenedRecording';
import type { RecordingView } from '$lib/bindings/RecordingView';
import type { RetentionPlan } from '$lib/bindings/RetentionPlan';
import { errorView, type Host } from '$lib/host/host';
import { PastHost } from '$lib/host/past';
import { Details } from './details.svelte';
import { Find } from './find.svelte';
import { Timeline } from './timeline.svelte';

/** What a person calls a recording: its name, else its servers, else its file. */
export function titleOf(view: RecordingView): string {
  if (view.name !== null) return view.name;
  if (view.server_names.length > 0) return view.server_names.join(', ');
  return view.id.replace(/\.mcpr$/, '');
}

/** A past session that is looked at. */
export class Past {
  view: RecordingView = $state.raw() as RecordingView;
  /** What a person should know of it: it was cut off, it is damaged. */
  readonly notes: readonly string[];
  readonly host: Host;
  readonly timeline: Timeline;
  readonly details: Details;
  readonly find: Find;

  constructor(core: Host, opened: OpenedRecording, notes: readonly string[]) {
    this.view = opened.view;
    this.notes = [...notes, ...opened.notes];
    this.host = new PastHost(core, opened.view.id);
    this.timeline = new Timeline(this.host, { isLive: false, ontold: () => this.find.wentOn() });
    this.find = new Find(this.host, this.timeline);
    this.find.enter(opened.view.id);
    this.details = new Details(this.host);
  }
}

/** The recordings that there are, and the one that is looked at. */
export class Recordings {
  /** The running one first, then the newest. */
  all: readonly RecordingView[] = $state.raw([]);
  /** Where they are; `null` where nothing is written. */
  folder: string | null = $state(null);
  /** What the limits removed when Roundtrip started; `null` once it was read. */
  removed: RetentionPlan | null = $state.raw(null);
  error: ErrorView | null = $state.raw(null);
  past: Past | null = $state.raw(null);
  /** The one that is being opened. */
  opening: string | null = $state(null);

  /** Dialogs: the recording to name, the one to delete, and the limits. */
  naming: RecordingView | null = $state.raw(null);
  deleting: RecordingView | null = $state.raw(null);
  limiting = $state(false);

  readonly #core: Host;
  #told = false;

  constructor(core: Host) {
    this.#core = core;
  }

  async refresh(): Promise<void> {
    try {
      const list = await this.#core.rpc('recordings', {});
      this.all = list.recordings;
      this.folder = list.folder;
      if (!this.#told && list.removed_at_start !== null) {
        this.#told = true;
        this.removed = list.removed_at_start;
      }
      this.error = null;
    } catch (error) {
      this.error = errorView(error);
    }
  }

  /** Looks at a recording instead of the running session. `notes` is what there is to say of it beside. */
  async open(id: string, notes: readonly string[] = []): Promise<void> {
    if (this.past?.view.id === id) return;
    this.opening = id;
    try {
      const opened = await this.#core.rpc('open_recording', { recording: id });
      // Another one may have been asked for meanwhile.
      if (!this.#isOpening(id)) return;
      this.leave();
      this.past = new Past(this.#core, opened, notes);
      this.error = null;
    } catch (error) {
      if (this.#isOpening(id)) this.error = errorView(error);
    }
    if (this.#isOpening(id)) this.opening = null;
  }

  #isOpening(id: string): boolean {
    return this.opening === id;
  }

  /** Back to the running session. */
  leave(): void {
    const { past } = this;
    if (past === null) return;
    this.past = null;
    past.timeline.close();
    // The core closes it by itself when others are opened.
    this.#core.rpc('close_recording', { recording: past.view.id }).catch(() => undefined);
  }

  /** @throws when it could not be named */
  async name(id: string, name: string): Promise<void> {
    await this.#core.rpc('name_recording', { recording: id, name });
    await this.refresh();
    const view = this.all.find((one) => one.id === id);
    if (this.past?.view.id === id && view !== undefined) this.past.view = view;
  }

  /** @throws when it could not be deleted */
  async remove(id: string): Promise<void> {
    if (this.past?.view.id === id) this.leave();
    await this.#core.rpc('delete_recording', { recording: id });
    await this.refresh();
  }
}
