import type { JsonNode } from '$lib/bindings/JsonNode';
import type { JsonStep } from '$lib/bindings/JsonStep';
import { errorView } from '$lib/host/host';
import type { ErrorView } from '$lib/bindings/ErrorView';
import type { JsonSource } from './source';

/** Children asked for at once. */
const PAGE = 100;
/** Pages kept; the rest is asked for again when it is scrolled to. */
const MOST_PAGES = 200;
/** A document is unfolded at first as far as so many rows show it. */
const FIRST_ROWS = 40;

/** A container that is unfolded. Plain data: what draws it depends on the tree's version alone. */
class Branch {
  /** The unfolded children, in order. */
  readonly open: Branch[] = [];
  readonly pages = new Map<number, readonly JsonNode[]>();
  /** Rows below it. */
  length: number;

  constructor(
    readonly parent: Branch | undefined,
    /** Which child of its parent it is. */
    readonly index: number,
    readonly node: JsonNode | undefined,
    readonly at: number | null,
    readonly total: number,
  ) {
    this.length = total;
  }
}

/** A row of the tree. */
export interface JsonRow {
  /** Absent while it has not arrived. */
  readonly node: JsonNode | undefined;
  /** Its place among its siblings. */
  readonly index: number;
  readonly depth: number;
  readonly isOpen: boolean;
  /** Whether its container is an array, so that its name is its place. */
  readonly isItem: boolean;
}

interface Place {
  readonly branch: Branch;
  readonly index: number;
  readonly depth: number;
  readonly opened: Branch | undefined;
}

/** A JSON document, unfolded in part. It holds what was looked at; the source holds the rest. */
export class JsonTree {
  /** Goes up with every change of what is drawn. */
  version = $state(0);
  error: ErrorView | null = $state.raw(null);

  readonly #source: JsonSource;
  #top = new Branch(undefined, 0, undefined, null, 1);
  #asked = new Map<string, Promise<void>>();
  #pages: { branch: Branch; page: number }[] = [];

  constructor(source: JsonSource) {
    this.#source = source;
  }

  get length(): number {
    void this.version;
    return this.#top.length;
  }

  /** Reads the root and unfolds what fits. */
  async start(): Promise<void> {
    const root = await this.#node(this.#top, 0);
    if (root === undefined) return;
    let row = 0;
    // From the outside in, row by row, while what unfolds still fits.
    while (row < this.#top.length && row < FIRST_ROWS) {
      const place = this.#place(row);
      const node = await this.#node(place.branch, place.index);
      if (node !== undefined && node.child_count > 0 && this.#top.length + node.child_count <= FIRST_ROWS)
        this.#open(place.branch, place.index, node);
      row += 1;
    }
    if (this.#top.length === 1 && root.child_count > 0) this.#open(this.#top, 0, root);
    this.version += 1;
  }

  row(at: number): JsonRow {
    void this.version;
    const { branch, index, depth, opened } = this.#place(at);
    const node = branch.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
    if (node === undefined) void this.#load(branch, Math.floor(index / PAGE));
    return { node, index, depth, isOpen: opened !== undefined, isItem: branch.node?.kind === 'array' };
  }

  /** Unfolds a row, or folds it; whether anything changed. */
  async toggle(at: number, open?: boolean): Promise<boolean> {
    const { branch, index, opened } = this.#place(at);
    if (open !== undefined && open === (opened !== undefined)) return false;
    if (opened !== undefined) {
      branch.open.splice(branch.open.indexOf(opened), 1);
      this.#count(branch);
    } else {
      const node = await this.#node(branch, index);
      if (node === undefined || node.child_count === 0) return false;
      this.#open(branch, index, node);
    }
    this.version += 1;
    return true;
  }

  /** Folds everything but the root. */
  foldAll(): void {
    for (const root of this.#top.open) {
      root.open.length = 0;
      this.#count(root);
    }
    this.version += 1;
  }

  /** The row of the container around a row; `undefined` for the root. */
  parentOf(at: number): number | undefined {
    const { branch } = this.#place(at);
    return branch.parent === undefined ? undefined : this.#rowOf(branch.parent, branch.index);
  }

  /** The way to a row as a JSON Pointer (RFC 6901). */
  pointer(at: number): string {
    void this.version;
    const { branch, index } = this.#place(at);
    if (branch === this.#top) return '';
    const node = branch.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
    const parts = [node?.key ?? String(index)];
    for (
      let up: Branch | undefined = branch;
      up.parent !== undefined && up.parent !== this.#top;
      up = up.parent
    )
      parts.push(up.node?.key ?? String(up.index));
    return parts
      .reverse()
      .map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`)
      .join('');
  }

  /** The text of a row's value, exactly as it came. */
  async value(at: number): Promise<string> {
    const { branch, index } = this.#place(at);
    const node = await this.#node(branch, index);
    return node === undefined ? '' : this.#source.value(node.at);
  }

  /** Unfolds what is around a value; gives its row. */
  async reveal(way: readonly JsonStep[]): Promise<number | undefined> {
    let branch = this.#top;
    let index = 0;
    for (const step of way) {
      const node = await this.#node(branch, index);
      if (node === undefined) return undefined;
      branch = branch.open.find((one) => one.index === index) ?? this.#open(branch, index, node);
      ({ index } = step);
    }
    await this.#node(branch, index);
    this.version += 1;
    return this.#rowOf(branch, index);
  }

  find(text: string): ReturnType<JsonSource['find']> {
    return this.#source.find(text);
  }

  #open(branch: Branch, index: number, node: JsonNode): Branch {
    const opened = new Branch(branch, index, node, node.at, node.child_count);
    const before = branch.open.findIndex((one) => one.index > index);
    branch.open.splice(before < 0 ? branch.open.length : before, 0, opened);
    this.#count(branch);
    return opened;
  }

  #count(from: Branch): void {
    for (let branch: Branch | undefined = from; branch !== undefined; branch = branch.parent)
      branch.length = branch.open.reduce((sum, one) => sum + one.length, branch.total);
  }

  #place(row: number): Place {
    let branch = this.#top;
    let rest = row;
    let depth = 0;
    search: for (;;) {
      let next = 0;
      for (const opened of branch.open) {
        const before = opened.index - next;
        if (rest < before) break;
        rest -= before;
        if (rest === 0) return { branch, index: opened.index, depth, opened };
        rest -= 1;
        if (rest < opened.length) {
          branch = opened;
          depth += 1;
          continue search;
        }
        rest -= opened.length;
        next = opened.index + 1;
      }
      return { branch, index: next + rest, depth, opened: undefined };
    }
  }

  #rowOf(branch: Branch, index: number): number {
    let row = index;
    for (const opened of branch.open) if (opened.index < index) row += opened.length;
    return branch.parent === undefined ? row : this.#rowOf(branch.parent, branch.index) + 1 + row;
  }

  async #node(branch: Branch, index: number): Promise<JsonNode | undefined> {
    const page = Math.floor(index / PAGE);
    if (!branch.pages.has(page)) await this.#load(branch, page);
    return branch.pages.get(page)?.[index % PAGE];
  }

  #load(branch: Branch, page: number): Promise<void> {
    const name = `${String(branch.at)} ${page}`;
    const asked = this.#asked.get(name);
    if (asked !== undefined) return asked;
    const reading = this.#source
      .children(branch.at, page * PAGE, PAGE)
      .then(({ children }) => {
        branch.pages.set(page, children);
        this.#pages.push({ branch, page });
        const oldest = this.#pages.length > MOST_PAGES ? this.#pages.shift() : undefined;
        oldest?.branch.pages.delete(oldest.page);
        this.error = null;
        this.version += 1;
      })
      .catch((error: unknown) => {
        this.error = errorView(error);
      })
      .finally(() => this.#asked.delete(name));
    this.#asked.set(name, reading);
    return reading;
  }
}
