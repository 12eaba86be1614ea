import type { FeedBatch } from '$lib/bindings/FeedBatch';
import type { Detach, Host } from '$lib/host/host';

/** Silence while work is running that makes the view ask for a new snapshot; doubled each time it was in vain. */
const SILENCE_MILLIS = 3000;
const LONGEST_SILENCE_MILLIS = 48_000;
/** Before attaching again after a failure. */
const RETRY_MILLIS = 1000;

export interface FeedSink {
  /** A batch, in order. Batch 1 is a snapshot. */
  apply(batch: FeedBatch): void;
  /** Attached: what the core must know of the view (its window) is to be sent again. */
  attached(): void;
  /** Whether something is running, so that silence would be strange. */
  working(): boolean;
  /** The feed could not be opened, or (`null`) is open again. */
  problem(error: unknown): void;
}

/**
 * Keeps the feed alive: batches are applied in order and acknowledged; a gap in their numbers, or silence while
 * work runs, opens a new attachment, which begins with a snapshot.
 */
export class Feed {
  readonly #host: Host;
  readonly #sink: FeedSink;
  readonly #page: { prompt?: number };
  #detach: Detach | undefined;
  #attachment = 0;
  #expected = 1;
  #silence = SILENCE_MILLIS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #open = false;

  /** `prompt` is the one whose own window this page stands in; undefined for the main page. */
  constructor(host: Host, sink: FeedSink, prompt?: number) {
    this.#host = host;
    this.#sink = sink;
    this.#page = prompt === undefined ? {} : { prompt };
  }

  /** Opens the feed; without effect while it is open. */
  start(): void {
    if (this.#open) return;
    this.#open = true;
    void this.#attach();
  }

  stop(): void {
    this.#open = false;
    this.#attachment += 1;
    clearTimeout(this.#timer);
    this.#detach?.();
    this.#detach = undefined;
  }

  async #attach(): Promise<void> {
    clearTimeout(this.#timer);
    this.#detach?.();
    this.#detach = undefined;
    this.#attachment += 1;
    const attachment = this.#attachment;
    this.#expected = 1;
    try {
      const detach = await this.#host.attach((batch) => {
        if (attachment === this.#attachment) this.#receive(batch);
      });
      if (attachment !== this.#attachment) {
        detach();
        return;
      }
      this.#detach = detach;
      this.#sink.problem(null);
      this.#sink.attached();
      this.#watch();
    } catch (error) {
      if (attachment !== this.#attachment || !this.#open) return;
      this.#sink.problem(error);
      this.#timer = setTimeout(() => void this.#attach(), RETRY_MILLIS);
    }
  }

  #receive(batch: FeedBatch): void {
    if (batch.number < this.#expected) return;
    if (batch.number > this.#expected) {
      void this.#attach();
      return;
    }
    this.#expected += 1;
    if (batch.number > 1) this.#silence = SILENCE_MILLIS;
    this.#sink.apply(batch);
    // A refused acknowledgement means that this attachment is gone; silence or the next gap mends it.
    this.#host.rpc('ack', { number: batch.number, ...this.#page }).catch(() => undefined);
    this.#watch();
  }

  #watch(): void {
    clearTimeout(this.#timer);
    if (!this.#open) return;
    this.#timer = setTimeout(() => {
      if (!this.#sink.working()) {
        this.#watch();
        return;
      }
      this.#silence = Math.min(this.#silence * 2, LONGEST_SILENCE_MILLIS);
      void this.#attach();
    }, this.#silence);
  }
}
