import { errorView, type Host } from '$lib/host/host';

/** How long after the last change the core is told of it. */
const PAUSE_MILLIS = 300;

interface Kept {
  /** All of it, for this page alone. */
  whole: unknown;
  /** What the core may keep: nothing in it looks like a secret. */
  safe: unknown;
  /** Waits to be told to the core. */
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * What a person began to answer. This page has all of it; the core keeps what looks like no secret, in memory, so that a
 * page loaded anew and a prompt's own window go on where another stopped.
 */
export class Drafts {
  readonly #host: Host;
  readonly #kept = new Map<number, Kept>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** What was begun; undefined when nothing was. */
  async of(prompt: number): Promise<unknown> {
    const own = this.#kept.get(prompt);
    if (own !== undefined) return own.whole;
    try {
      const text = await this.#host.rpc('draft', { prompt });
      return text === '' ? undefined : (JSON.parse(text) as unknown);
    } catch {
      // The prompt is gone, or what was kept is not for this page: it begins empty.
      return undefined;
    }
  }

  /** Keeps what was begun. `safe` is what the core may have of it. */
  keep(prompt: number, whole: unknown, safe: unknown): void {
    const before = this.#kept.get(prompt);
    clearTimeout(before?.timer);
    const timer = setTimeout(() => void this.flush(prompt), PAUSE_MILLIS);
    this.#kept.set(prompt, { whole, safe, timer });
  }

  /** The core has all of it when this is done; what it refuses is said. */
  async flush(prompt: number): Promise<string | undefined> {
    const kept = this.#kept.get(prompt);
    if (kept?.timer === undefined) return undefined;
    clearTimeout(kept.timer);
    kept.timer = undefined;
    try {
      const draft = kept.safe === undefined ? '' : JSON.stringify(kept.safe);
      await this.#host.rpc('keep_draft', { prompt, draft });
      return undefined;
    } catch (thrown) {
      return errorView(thrown).message;
    }
  }

  /** Another page goes on with it: this one has no copy of its own any more. */
  async handOver(prompt: number): Promise<void> {
    await this.flush(prompt);
    this.#kept.delete(prompt);
  }

  /** The page goes: nothing that waits is lost. */
  leave(): void {
    for (const prompt of this.#kept.keys()) void this.flush(prompt);
  }

  /** Those that are not open any more are forgotten. */
  sync(open: readonly { readonly id: number }[]): void {
    const ids = new Set(open.map(({ id }) => id));
    for (const [prompt, { timer }] of this.#kept) {
      if (ids.has(prompt)) continue;
      clearTimeout(timer);
      this.#kept.delete(prompt);
    }
  }
}
