import type { ErrorView } from '$lib/bindings/ErrorView';
import type { ExportedFile } from '$lib/bindings/ExportedFile';
import type { ExportForm } from '$lib/bindings/ExportForm';
import type { ExportScope } from '$lib/bindings/ExportScope';
import type { TransferState } from '$lib/bindings/TransferState';
import { errorView, type Host } from '$lib/host/host';

/** How long after the last choice a file is prepared. */
const PREPARE_MILLIS = 120;
/** How often is asked how far a transfer is: soon at first, less often later. */
const FIRST_MILLIS = 40;
const LAST_MILLIS = 400;

const wait = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));

/** What a person is asked about: which journal, and what of it there is to choose from. */
export interface ExportWish {
  /** The recording; `null` for the running session. */
  readonly recording: string | null;
  /** What it is called. */
  readonly title: string;
  /** How many rows the timeline shows of it; `null` where it is not looked at. */
  readonly shown: number | null;
  /** The selected rows. */
  readonly selected: readonly string[];
}

/** A transfer that goes on, or the file it prepared. */
export class Transfer {
  state: TransferState = $state.raw({ kind: 'running', done: 0, all: 0 });
  readonly id: number;
  readonly #host: Host;
  #isOver = false;

  constructor(host: Host, id: number) {
    this.#host = host;
    this.id = id;
  }

  /** Follows it to its end. */
  async follow(): Promise<TransferState> {
    let pause = FIRST_MILLIS;
    while (!this.#over()) {
      try {
        this.state = await this.#host.rpc('transfer', { transfer: this.id });
      } catch (thrown) {
        this.state = { kind: 'failed', error: errorView(thrown) };
      }
      if (this.state.kind !== 'running') break;
      await wait(pause);
      pause = Math.min(LAST_MILLIS, pause * 1.5);
    }
    return this.state;
  }

  #over(): boolean {
    return this.#isOver;
  }

  /** Ends it: what still runs is cancelled, and what was prepared is forgotten. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#host.rpc('end_transfer', { transfer: this.id }).catch(() => undefined);
  }
}

/** Taking a journal away: what is chosen, and the file that is prepared for it. */
export class Exports {
  wish: ExportWish | null = $state.raw(null);
  scope: ExportScope['kind'] = $state('all');
  form: ExportForm = $state('recording');
  transfer: Transfer | null = $state.raw(null);
  error: ErrorView | null = $state.raw(null);
  isSaving = $state(false);

  readonly #host: Host;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  /** The file, once it is prepared. */
  get file(): ExportedFile | null {
    const state = this.transfer?.state;
    return state?.kind === 'prepared' ? state.file : null;
  }

  open(wish: ExportWish, scope: ExportScope['kind'] = 'all'): void {
    this.wish = wish;
    this.scope = scope;
    this.#prepareSoon(0);
  }

  choose(change: { scope?: ExportScope['kind']; form?: ExportForm }): void {
    if (change.scope !== undefined) this.scope = change.scope;
    if (change.form !== undefined) this.form = change.form;
    this.#prepareSoon(PREPARE_MILLIS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#asked += 1;
    this.#drop();
    this.wish = null;
    this.error = null;
  }

  /** Stops preparing; another choice, or the same again, begins anew. */
  cancel(): void {
    this.#asked += 1;
    this.#drop();
  }

  again(): void {
    this.#prepareSoon(0);
  }

  #prepareSoon(millis: number): void {
    clearTimeout(this.#timer);
    this.#asked += 1;
    this.#drop();
    this.error = null;
    this.#timer = setTimeout(() => void this.#prepare(), millis);
  }

  async #prepare(): Promise<void> {
    const { wish } = this;
    if (wish === null) return;
    const asked = this.#asked;
    const scope: ExportScope =
      this.scope === 'rows' ? { kind: 'rows', keys: [...wish.selected] } : { kind: this.scope };
    try {
      const id = await this.#host.rpc('start_export', {
        scope,
        form: this.form,
        ...(wish.recording === null ? {} : { recording: wish.recording }),
      });
      const transfer = new Transfer(this.#host, id);
      if (asked !== this.#asked) {
        transfer.end();
        return;
      }
      this.transfer = transfer;
      const state = await transfer.follow();
      if (asked === this.#asked && state.kind === 'failed') this.error = state.error;
    } catch (thrown) {
      if (asked === this.#asked) this.error = errorView(thrown);
    }
  }

  /** Lets the person choose where, and saves; the path, `null` when they chose none or it failed. */
  save(): Promise<string | null> {
    return this.#saving(async (id) => (await this.#host.saveExport?.(id)) ?? null);
  }

  /** Saves into the folder of downloads; the path, `null` when it failed. */
  saveToDownloads(): Promise<string | null> {
    return this.#saving((transfer) => this.#host.rpc('save_export', { transfer }));
  }

  async #saving(act: (id: number) => Promise<string | null>): Promise<string | null> {
    const { transfer } = this;
    if (transfer === null || this.isSaving) return null;
    this.isSaving = true;
    this.error = null;
    let path: string | null = null;
    try {
      path = await act(transfer.id);
    } catch (thrown) {
      this.error = errorView(thrown);
    }
    this.isSaving = false;
    return path;
  }

  /** The file as text, to be copied; `null` when that is not possible. */
  async text(): Promise<string | null> {
    const { transfer } = this;
    if (transfer === null) return null;
    try {
      return await this.#host.rpc('export_text', { transfer: transfer.id });
    } catch (thrown) {
      this.error = errorView(thrown);
      return null;
    }
  }

  #drop(): void {
    this.transfer?.end();
    this.transfer = null;
  }
}

/** Bringing in a file. */
export class Imports {
  transfer: Transfer | null = $state.raw(null);
  error: ErrorView | null = $state.raw(null);
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Lets the person choose a file and brings it in; the recording that it became and what there is to say of it. */
  async choose(): Promise<{ recording: string; notes: readonly string[] } | null> {
    this.close();
    try {
      const id = (await this.#host.importFile?.()) ?? null;
      if (id === null) return null;
      const transfer = new Transfer(this.#host, id);
      this.transfer = transfer;
      const state = await transfer.follow();
      if (this.#isCurrent(transfer)) this.close();
      if (state.kind === 'brought_in') return state;
      if (state.kind === 'failed') this.error = state.error;
    } catch (thrown) {
      this.error = errorView(thrown);
    }
    return null;
  }

  #isCurrent(transfer: Transfer): boolean {
    return this.transfer === transfer;
  }

  close(): void {
    this.transfer?.end();
    this.transfer = null;
    this.error = null;
  }
}
