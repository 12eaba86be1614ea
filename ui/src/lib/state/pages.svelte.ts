import { SvelteMap } from 'svelte/reactivity';
import type { ErrorView } from '$lib/bindings/ErrorView';
import { errorView } from '$lib/host/host';

/** Items read at once. */
const PAGE = 100;

/** Items of a long list that stays in the core: those that were in sight lately, by pages. */
export class Pages<T> {
  error: ErrorView | null = $state.raw(null);

  readonly #read: (start: number, length: number) => Promise<readonly T[]>;
  readonly #most: number;
  readonly #known = new SvelteMap<number, readonly T[]>();
  #asked = new Set<number>();

  /** @param most pages are kept; the others are read again when they are in sight again */
  constructor(most: number, read: (start: number, length: number) => Promise<readonly T[]>) {
    this.#most = most;
    this.#read = read;
  }

  /** The item at a place, when it is here. */
  at(index: number): T | undefined {
    return this.#known.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  /** Another list: nothing of the old one is left, and what is still being read of it is dropped. */
  clear(): void {
    this.#asked = new Set();
    this.#known.clear();
    this.error = null;
  }

  /** These items are in sight, of so many; what of them is not here is read. */
  look(start: number, length: number, total = Infinity): void {
    const last = Math.floor((start + Math.max(1, length) - 1) / PAGE);
    for (let page = Math.floor(start / PAGE); page <= last; page += 1) {
      const expected = Math.min(PAGE, total - page * PAGE);
      const here = this.#known.get(page);
      // A page at the end of a list that grows is read again once there is more of it.
      const isWhole = here !== undefined && (total === Infinity || here.length >= expected);
      if (expected > 0 && !isWhole) void this.#ask(page);
    }
  }

  async #ask(page: number): Promise<void> {
    const asked = this.#asked;
    if (asked.has(page)) return;
    asked.add(page);
    try {
      const items = await this.#read(page * PAGE, PAGE);
      if (asked !== this.#asked) return;
      this.#known.set(page, items);
      for (const other of this.#known.keys()) {
        if (this.#known.size <= this.#most) break;
        if (other !== page) this.#known.delete(other);
      }
      this.error = null;
    } catch (thrown) {
      if (asked === this.#asked) this.error = errorView(thrown);
    }
    asked.delete(page);
  }
}
