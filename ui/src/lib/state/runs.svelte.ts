import type { CallOutcome } from '$lib/bindings/CallOutcome';
import type { ErrorView } from '$lib/bindings/ErrorView';
import { errorView, type Host } from '$lib/host/host';
import { lasting } from './lasting.svelte';
import { afterPaint } from './paint';
import type { LeftCall, LeftTools } from './reload';

/** What ends within this time is drawn once, with its end. */
export const QUICK_MILLIS = 40;
/** A call that runs longer is shown to be running; until then the one before stays in sight. */
const SLOW_MILLIS = 80;

/** How many results are kept of one tool, resource or prompt when others have taken their place. */
const MOST_PAST = 20;

/** One call of a tool, reading of a resource or getting of a prompt, from the press of the button on. */
export class Call {
  readonly id: number;
  readonly startedMicros: number;
  /** Absent until the core has made the operation. */
  operation: number | null = $state(null);
  outcome: CallOutcome | null = $state.raw(null);
  error: ErrorView | null = $state.raw(null);
  cancelling = $state(false);
  /** It has run so long that the person is told. */
  slow = $state(false);
  /** Its view has been made once. */
  seen = false;
  /** Those that had ended when it began: they stay in sight until it is drawn. */
  replaces: readonly Call[] = [];

  constructor(id: number, startedMicros: number) {
    this.id = id;
    this.startedMicros = startedMicros;
  }

  get running(): boolean {
    return this.outcome === null && this.error === null;
  }
}

/** What is kept of a tool, resource or prompt while the app runs: what was filled in, and its calls. */
export class Memory {
  /** The form as it was left, in its own terms. */
  kept: object | undefined;
  /** The same without secrets, for the page that comes next. */
  left: object | undefined;
  /** The newest first: those that run, and those that have ended since the last one began. */
  calls: Call[] = $state.raw([]);
  /** Ended before those of `calls`, the newest first. */
  #past: readonly Call[] = $state.raw([]);
  /** What is drawn of them: one that has just begun does not yet take the place of those before. */
  shown = $derived.by(() => {
    const worthy = this.calls.filter((call) => !call.running || call.slow);
    return worthy.filter((call) => !worthy.some((later) => later.replaces.includes(call)));
  });

  /** Results that others have taken the place of, the newest first: to be opened again and compared. */
  before = $derived.by(() =>
    [...this.calls, ...this.#past].filter((call) => call.outcome !== null && !this.shown.includes(call)),
  );

  begin(call: Call): void {
    const kept = this.calls.filter((one) => one.running || this.shown.includes(one));
    const gone = this.calls.filter((one) => one.outcome !== null && !kept.includes(one));
    this.#past = [...gone, ...this.#past].slice(0, MOST_PAST);
    call.replaces = kept.filter((one) => !one.running);
    this.calls = [call, ...kept];
    setTimeout(() => (call.slow = true), SLOW_MILLIS);
  }
}

/** What a command gives that starts an operation. */
export interface Started {
  readonly operation: number;
  /** How it ended, when it ended at once. */
  readonly outcome: CallOutcome | null;
}

/** What a person started on one server: by the key of what they started it on. */
export class Runs {
  readonly #host: Host;
  readonly #memories = new Map<string, Memory>();
  #nextCall = 1;

  constructor(host: Host) {
    this.#host = host;
  }

  memory(key: string): Memory {
    let memory = this.#memories.get(key);
    if (memory === undefined) {
      memory = lasting(() => new Memory());
      this.#memories.set(key, memory);
    }
    return memory;
  }

  /** What the next page is to know. */
  leave(): Pick<LeftTools, 'forms' | 'calls'> {
    const memories = [...this.#memories];
    return {
      forms: memories.flatMap(([key, { left }]) => (left === undefined ? [] : [[key, left] as const])),
      calls: memories.flatMap(([key, memory]) =>
        memory.calls.flatMap(({ operation, startedMicros }) =>
          operation === null ? [] : [{ key, operation, startedMicros }],
        ),
      ),
    };
  }

  /** Goes on from where the page before was: its calls are found again by their operations, which have these titles. */
  resume(left: Pick<LeftTools, 'forms' | 'calls'>, titleOf: (key: string) => string): void {
    for (const [key, kept] of left.forms) {
      const memory = this.memory(key);
      memory.kept = memory.left = kept;
    }
    for (const call of [...left.calls].reverse()) void this.#follow(call, titleOf(call.key));
  }

  async #follow({ key, operation, startedMicros }: LeftCall, expected: string): Promise<void> {
    try {
      const { title } = await this.#host.rpc('row', { key: `o${operation}` });
      // A core that was started anew counts from the start: its operation of this number may be another.
      if (title !== expected) return;
      const call = new Call(this.#nextCall, startedMicros);
      this.#nextCall += 1;
      call.operation = operation;
      call.seen = true;
      this.memory(key).begin(call);
      call.slow = true;
      call.outcome = await this.#host.rpc('outcome', { operation });
    } catch {
      // It is gone; the timeline has what is left of it.
      const memory = this.memory(key);
      memory.calls = memory.calls.filter((call) => call.operation !== operation);
    }
  }

  /** Whether one of them waits for its end. */
  get isCalling(): boolean {
    return [...this.#memories.values()].some((memory) => memory.calls.some((call) => call.running));
  }

  /** Starts an operation; `begun` hears of it as soon as it exists. */
  async run(
    key: string,
    nowMicros: number,
    start: () => Promise<Started>,
    begun: (operation: number) => void,
  ): Promise<void> {
    const call = new Call(this.#nextCall, nowMicros);
    this.#nextCall += 1;
    this.memory(key).begin(call);
    try {
      const { operation, outcome } = await start();
      call.operation = operation;
      if (outcome === null) {
        begun(operation);
        call.outcome = await this.#host.rpc('outcome', { operation });
      } else {
        call.outcome = outcome;
        afterPaint(() => begun(operation));
      }
    } catch (error) {
      call.error = errorView(error);
    }
  }

  async cancel(call: Call): Promise<void> {
    if (call.operation === null || call.cancelling) return;
    call.cancelling = true;
    try {
      await this.#host.rpc('cancel', { operation: call.operation });
    } catch (error) {
      call.error = errorView(error);
    }
    call.cancelling = false;
  }
}
