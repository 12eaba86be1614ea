import { errorView, type Host } from '$lib/host/host';
import { rowAt, type RowWindow } from '$lib/timeline/window';

/** The core gives so many keys at once; more rows are not picked. */
export const MOST_PICKED = 10_000;

const NONE: ReadonlySet<string> = new Set();

/**
 * Rows that are picked together, to be taken away. Empty while there is but the selected row. Rows are known by their
 * keys, which hold while others come and go around them.
 */
export class Picked {
  keys: ReadonlySet<string> = $state.raw(NONE);
  /** Not all that were wanted could be picked. */
  isCut = $state(false);
  problem: string | undefined = $state();

  /** From where a stretch reaches. */
  #anchor: number | null = null;
  #asked = 0;
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  get size(): number {
    return this.keys.size;
  }

  /** Only the selected row counts from now on; a stretch would begin there. */
  clear(anchor: number | null = null): void {
    this.#asked += 1;
    this.#anchor = anchor;
    this.isCut = false;
    this.problem = undefined;
    if (this.keys.size > 0) this.keys = NONE;
  }

  /** Picks a row or leaves it out. `selected` is the row that was selected so far: it stays picked. */
  toggle(key: string, index: number, selected: string | null): void {
    this.#asked += 1;
    this.#anchor = index;
    const keys = new Set(this.keys);
    if (keys.size === 0 && selected !== null && selected !== key) keys.add(selected);
    if (keys.has(key)) keys.delete(key);
    else if (keys.size < MOST_PICKED) keys.add(key);
    this.keys = keys;
  }

  /** Picks the stretch from where it began, or from the selected row, to this one. */
  async reach(to: number, selected: number | null, window: RowWindow): Promise<void> {
    this.#anchor ??= selected ?? to;
    await this.stretch(Math.min(this.#anchor, to), Math.abs(this.#anchor - to) + 1, window);
  }

  /** Picks these rows and no others. */
  async stretch(start: number, length: number, window: RowWindow): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    const len = Math.min(length, MOST_PICKED);
    const here: string[] = [];
    for (let at = start; at < start + len; at += 1) {
      const row = rowAt(window, at);
      if (row === undefined) break;
      here.push(row.key);
    }
    let keys = here;
    if (here.length < len) {
      try {
        keys = await this.#host.rpc('row_keys', { start, len });
      } catch (thrown) {
        if (asked === this.#asked) this.problem = errorView(thrown).message;
        return;
      }
    }
    if (asked !== this.#asked) return;
    this.problem = undefined;
    this.isCut = length > keys.length && length > MOST_PICKED;
    this.keys = new Set(keys);
  }
}
