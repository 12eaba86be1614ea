import type { FeedBatch } from '$lib/bindings/FeedBatch';
import type { Detach } from '../host';
import type { Handlers } from './handlers';
import { nowMicros, type FakeJournal } from './journal';
import type { FakeOutcomes } from './outcomes';
import type { FakePrompts } from './prompts';
import type { FakeServers } from './servers';
import type { FakeTasks } from './tasks';
import type { FakeTimeline } from './timeline';

const TICK_MILLIS = 33;
/** Batches that are sent before the first of them is acknowledged. */
const MOST_IN_FLIGHT = 2;

/** What a feed tells of. */
interface Parts {
  readonly journal: FakeJournal;
  readonly timeline: FakeTimeline;
  readonly servers: FakeServers;
  readonly prompts: FakePrompts;
  readonly tasks: FakeTasks;
  readonly outcomes: FakeOutcomes;
}

/** Numbered batches of what changed, a tick apart. */
export class FakeFeed {
  readonly #parts: Parts;
  #onBatch: ((batch: FeedBatch) => void) | undefined;
  #number = 0;
  #inFlight = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** How far the journal was when the last batch was made. */
  #told = '';

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  attach(onBatch: (batch: FeedBatch) => void): Detach {
    clearInterval(this.#timer);
    this.#onBatch = onBatch;
    this.#number = 0;
    this.#inFlight = 0;
    this.#told = '';
    const { timeline, servers, prompts, tasks } = this.#parts;
    for (const part of [timeline, servers, prompts, tasks]) part.attached();
    this.#timer = setInterval(() => this.tick(), TICK_MILLIS);
    queueMicrotask(() => this.tick());
    return () => {
      if (this.#onBatch !== onBatch) return;
      this.#onBatch = undefined;
      clearInterval(this.#timer);
    };
  }

  /** Sends what changed. */
  tick(): void {
    if (this.#onBatch === undefined || this.#inFlight >= MOST_IN_FLIGHT) return;
    const { journal, timeline, servers, prompts, tasks, outcomes } = this.#parts;
    const now = `${journal.version} ${journal.events.length}`;
    const isGrown = now !== this.#told;
    if (!isGrown && ![servers, prompts, tasks, outcomes].some((part) => part.hasNews)) return;
    this.#number += 1;
    this.#inFlight += 1;
    this.#told = now;
    const batch: FeedBatch = {
      number: this.#number,
      now_micros: nowMicros(),
      servers: servers.patch(),
      prompts: prompts.patch(),
      tasks: tasks.patch(),
      timeline: isGrown ? timeline.patch(this.#number === 1) : null,
      status: {
        event_count: journal.events.length,
        byte_len: journal.byteLen,
        running: journal.operations.filter((operation) => operation.row.end_micros === null).length,
        recording: '/home/ana/.local/state/roundtrip/2026-11-29T14-02-09.mcpr',
        file_problem: null,
        keyring: 'Secret Service, unlocked',
      },
      touched: outcomes.patch(),
    };
    this.#onBatch(structuredClone(batch));
  }

  /** Loses the next batch, as a broken channel would. */
  loseBatch(): void {
    this.#number += 1;
  }

  readonly handlers: Handlers<'ack'> = {
    ack: () => {
      this.#inFlight = Math.max(0, this.#inFlight - 1);
      return null;
    },
  };
}
