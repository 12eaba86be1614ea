import type { ErrorView } from '$lib/bindings/ErrorView';
import type { RowDetails } from '$lib/bindings/RowDetails';
import { errorView, type Host } from '$lib/host/host';

/** A row that changes is read again at most this often. */
const REFRESH_MILLIS = 200;

/** The details of the selected row, read again while it changes. */
export class Details {
  key: string | null = $state(null);
  details: RowDetails | null = $state.raw(null);
  error: ErrorView | null = $state.raw(null);

  readonly #host: Host;
  #inFlight = false;
  #stale = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #readAt = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Shows this row from now on. */
  show(key: string | null): void {
    if (key === this.key) return;
    this.key = key;
    this.error = null;
    if (key === null) {
      this.details = null;
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#readAt = 0;
    this.refresh();
  }

  /** The row changed. */
  refresh(): void {
    if (this.key === null) return;
    this.#stale = true;
    if (this.#inFlight || this.#timer !== undefined) return;
    const wait = Math.max(0, this.#readAt + REFRESH_MILLIS - performance.now());
    if (wait === 0) {
      void this.#read();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#read();
    }, wait);
  }

  async #read(): Promise<void> {
    const { key } = this;
    if (key === null) return;
    this.#stale = false;
    this.#inFlight = true;
    this.#readAt = performance.now();
    try {
      const details = await this.#host.rpc('row', { key });
      if (key === this.key) {
        this.details = details;
        this.error = null;
      }
    } catch (error) {
      if (key === this.key) {
        this.details = null;
        this.error = errorView(error);
      }
    }
    this.#inFlight = false;
    if (key !== this.key) {
      this.#readAt = 0;
      this.#stale = true;
    }
    // The key is read anew: it may have changed during the wait.
    if (this.#stale) this.refresh();
  }
}
