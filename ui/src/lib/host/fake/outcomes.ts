import type { CallOutcome } from '$lib/bindings/CallOutcome';
import type { CallResult } from '$lib/bindings/CallResult';
import type { ContentView } from '$lib/bindings/ContentView';
import type { Handlers, Sleep } from './handlers';
import { nowMicros, type FakeJournal, type FakeOperation } from './journal';

/** A tool's result. */
export function toolResult(
  content: string | ContentView[],
  more: { is_error?: boolean; structured?: string | null } = {},
): CallResult {
  return {
    kind: 'tool',
    is_error: false,
    content: typeof content === 'string' ? [{ kind: 'text', text: content }] : content,
    structured: null,
    problems: [],
    event: null,
    ...more,
  };
}

function endOf(result: CallResult): { state: 'cancelled' | 'error' | 'complete'; state_text: string } {
  if (result.kind === 'cancelled') return { state: 'cancelled', state_text: 'cancelled' };
  if (result.kind === 'failed') return { state: 'error', state_text: `error ${result.code ?? ''}` };
  if (result.kind === 'tool' && result.is_error) return { state: 'error', state_text: 'tool error' };
  return { state: 'complete', state_text: 'complete' };
}

/** How operations end. */
export class FakeOutcomes {
  readonly #journal: FakeJournal;
  readonly #sleep: Sleep;
  readonly #ended = new Map<number, CallOutcome>();
  readonly #waiting = new Map<number, ((outcome: CallOutcome) => void)[]>();
  readonly #cancels = new Map<number, () => void>();
  #touched: number[] = [];

  constructor(journal: FakeJournal, sleep: Sleep) {
    this.#journal = journal;
    this.#sleep = sleep;
  }

  get hasNews(): boolean {
    return this.#touched.length > 0;
  }

  /** Those that have ended since the last time. */
  patch(): number[] {
    const touched = this.#touched;
    this.#touched = [];
    return touched;
  }

  /** Ends an operation after a while, unless it has ended by then. */
  async finish(operation: FakeOperation, result: CallResult, millis = 40): Promise<void> {
    await this.#sleep(millis);
    if (operation.row.end_micros === null) this.end(operation, result);
  }

  end(operation: FakeOperation, result: CallResult): void {
    const now = nowMicros();
    this.#journal.turn(operation, null, now);
    this.#journal.change(operation, { end_micros: now, ...endOf(result) });
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
    this.#ended.set(operation.id, outcome);
    this.#touched.push(operation.id);
    this.#cancels.delete(operation.id);
    for (const resolve of this.#waiting.get(operation.id) ?? []) resolve(outcome);
    this.#waiting.delete(operation.id);
  }

  /** What a cancel does to an operation before it ends it. */
  onCancel(operation: FakeOperation, act: () => void): void {
    this.#cancels.set(operation.id, () => {
      act();
      this.end(operation, { kind: 'cancelled' });
    });
  }

  of(operation: number): Promise<CallOutcome> {
    const ended = this.#ended.get(operation);
    if (ended !== undefined) return Promise.resolve(ended);
    return new Promise((resolve) => {
      this.#waiting.set(operation, [...(this.#waiting.get(operation) ?? []), resolve]);
    });
  }

  readonly handlers: Handlers<'outcome' | 'cancel'> = {
    outcome: ({ operation }) => this.of(operation),
    cancel: ({ operation }) => {
      this.#cancels.get(operation)?.();
      return null;
    },
  };
}
