import type { Filter } from '$lib/bindings/Filter';
import type { FindView } from '$lib/bindings/FindView';
import type { Row } from '$lib/bindings/Row';
import type { RowPlace } from '$lib/bindings/RowPlace';
import type { TimelineLook } from '$lib/bindings/TimelineLook';
import type { TimelinePatch } from '$lib/bindings/TimelinePatch';
import { errorView, type Host } from '$lib/host/host';
import type { ErrorView } from '$lib/bindings/ErrorView';
import { TimeAxis } from './axis.svelte';
import { Picked } from './picked.svelte';
import {
  LARGEST_WINDOW,
  NO_ROWS,
  needsLook,
  patched,
  placeOf,
  rowAt,
  wanted,
  type RowWindow,
  type Stretch,
} from '$lib/timeline/window';

/** Rows asked for above the visible ones while following; there are none below. */
const FOLLOW_OVERSCAN = 30;
/** How often a search is asked about that no feed tells of. */
const SEARCH_MILLIS = 120;

/** The selected row. Its key is unknown until the row is here; its place is unknown until it was located. */
export interface Selection {
  readonly key: string | null;
  readonly index: number | null;
}

/** A wish to scroll: to a row, or to the end. A new object each time, so that the same wish can be repeated. */
export interface ScrollWish {
  readonly index: number | 'end';
  /** The row is to be the first that is seen; otherwise it is enough that it is seen. */
  readonly atTop?: boolean;
}

/**
 * The view's window onto the timeline. It holds the rows around the visible ones and nothing else; the core holds
 * the rest.
 */
export class Timeline {
  totalRows = $state(0);
  /** Operations and loose rows among them. */
  topRows = $state(0);
  errorCount = $state(0);
  /** The filter line that the rows are of, and its search. */
  find: FindView | null = $state.raw(null);
  window: RowWindow = $state.raw(NO_ROWS);
  filter: Filter = $state('all');
  /** Only this server's rows; `null` for all. */
  server: string | null = $state(null);
  /** The filter line; empty for none. */
  line = $state('');
  follow = $state(true);
  selection: Selection = $state.raw({ key: null, index: null });
  scrollWish: ScrollWish | undefined = $state.raw(undefined);
  problem: ErrorView | null = $state.raw(null);

  /** Rows that came since the person stopped following. */
  newRows = $derived.by(() =>
    this.follow || !this.#isLive ? 0 : Math.max(0, this.totalRows - this.#rowsWhenLeft),
  );

  /** Which time the waterfall shows. */
  readonly axis: TimeAxis;
  /** Rows that are selected together. */
  readonly picked: Picked;

  #rowsWhenLeft = $state(0);
  /** The time whose rows are wanted next; only the last one counts. */
  #wantedTime: number | undefined;
  #isSeeking = false;
  readonly #host: Host;
  readonly #isLive: boolean;
  #visible: Stretch = { start: 0, len: 40 };
  #asked: TimelineLook | undefined;
  #revision = 0;
  #inFlight = false;
  #again = false;
  #frame: number | undefined;
  #sent: Promise<void> = Promise.resolve();
  /** No feed tells of a search: it is asked for until it has ended. */
  readonly #asks: (() => void) | undefined;
  #isClosed = false;

  /** @param ontold what is to happen with each patch where there is no feed: a search is asked about by itself then */
  /** `isLive`: rows still come, and are followed at first. */
  constructor(host: Host, { isLive = true, ontold }: { isLive?: boolean; ontold?: () => void } = {}) {
    this.#host = host;
    this.#isLive = isLive;
    this.follow = isLive;
    this.#asks = ontold;
    this.axis = new TimeAxis(host);
    this.picked = new Picked(host);
  }

  get selectedRow(): Row | undefined {
    const { index } = this.selection;
    return index === null ? undefined : rowAt(this.window, index);
  }

  /** What the viewport shows now; asks for rows when those that are here do not cover it. */
  see(visible: Stretch): void {
    this.#visible = visible;
    const asked = this.#asked;
    if (asked === undefined) {
      this.look();
      return;
    }
    if (this.follow) {
      if (visible.len > asked.len) this.look();
      return;
    }
    const here = { start: asked.start, len: asked.len };
    if (needsLook(here, visible, this.totalRows)) this.look();
  }

  /** Nobody looks at it any more. */
  close(): void {
    this.#isClosed = true;
  }

  /** Sends the window soon: one a frame, one in flight, the last one wins. */
  look(): void {
    if (this.#isClosed) return;
    this.#again = true;
    if (this.#inFlight || this.#frame !== undefined) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#sent = this.#send();
    });
  }

  /** What was asked for last is what the core looks at. */
  async #settled(): Promise<void> {
    // What is asked for while it waits may ask again; nobody is kept waiting by that for ever.
    for (let round = 0; round < 4; round += 1) {
      if (this.#frame !== undefined && !this.#inFlight) {
        cancelAnimationFrame(this.#frame);
        this.#frame = undefined;
        this.#sent = this.#send();
      }
      if (!this.#inFlight) return;
      await this.#sent;
    }
  }

  async #send(): Promise<void> {
    this.#again = false;
    this.#inFlight = true;
    const { start, len } = wanted(this.#visible, this.totalRows);
    const look: TimelineLook = {
      start: this.follow ? 0 : start,
      len: this.follow ? Math.min(LARGEST_WINDOW, this.#visible.len + FOLLOW_OVERSCAN) : len,
      follow: this.follow,
      filter: this.filter,
      server: this.server,
      line: this.line,
    };
    this.#asked = look;
    try {
      this.receive(await this.#host.rpc('look', { look }));
      this.problem = null;
    } catch (error) {
      this.problem = errorView(error);
    }
    this.#inFlight = false;
    if (this.#isWanted()) this.look();
  }

  #isWanted(): boolean {
    return this.#again;
  }

  /**
   * A patch, from the feed or in reply to a look. The two travel by different ways; one that was overtaken is out
   * of date.
   */
  receive(patch: TimelinePatch): void {
    if (patch.revision <= this.#revision) return;
    this.#revision = patch.revision;
    this.totalRows = patch.total_rows;
    this.topRows = patch.top_rows;
    this.errorCount = patch.error_count;
    this.find = patch.find;
    this.window = patched(this.window, patch);
    const { key, index } = this.selection;
    if (key !== null) {
      const place = placeOf(this.window, key);
      if (place !== undefined && place !== index) this.selection = { key, index: place };
    } else if (index !== null) {
      const row = rowAt(this.window, index);
      if (row !== undefined) this.selection = { key: row.key, index };
    }
    if (this.#asks === undefined) return;
    this.#asks();
    if (patch.find?.search?.state === 'searching') setTimeout(() => this.look(), SEARCH_MILLIS);
  }

  /** The core has a new attachment: it does not know the window any more. */
  attached(): void {
    this.#asked = undefined;
    this.look();
  }

  setFilter(filter: Filter): void {
    if (filter === this.filter) return;
    this.filter = filter;
    this.#newList();
  }

  setServer(server: string | null): void {
    if (server === this.server) return;
    this.server = server;
    this.#newList();
  }

  setLine(line: string): void {
    if (line === this.line) return;
    this.line = line;
    this.#newList();
  }

  #newList(): void {
    this.picked.clear();
    this.selection = { key: this.selection.key, index: null };
    this.#visible = { start: 0, len: this.#visible.len };
    this.scrollWish = { index: this.follow ? 'end' : 0 };
    this.look();
  }

  setFollow(follow: boolean): void {
    if (follow === this.follow) return;
    this.follow = follow;
    this.#rowsWhenLeft = this.totalRows;
    if (follow) this.scrollWish = { index: 'end' };
    this.look();
  }

  /** Selects the row at a place and no other, and scrolls to it. */
  selectAt(index: number): void {
    if (this.totalRows === 0) return;
    this.picked.clear(this.#moveTo(index));
  }

  /** Picks the rows up to this one, from where picking began. */
  reachTo(index: number): void {
    if (this.totalRows === 0) return;
    const before = this.selection.index;
    void this.picked.reach(this.#moveTo(index), before, this.window);
  }

  /** Picks the row at a place beside those that are, or leaves it out. */
  toggleAt(index: number): void {
    const key = rowAt(this.window, index)?.key;
    if (key === undefined) return;
    const before = this.selection.key;
    this.picked.toggle(key, this.#moveTo(index), before);
  }

  /** Goes to the row at a place; what is picked stays so. */
  walkTo(index: number): void {
    if (this.totalRows > 0) this.#moveTo(index);
  }

  /** Picks all rows that are shown. */
  pickAll(): void {
    void this.picked.stretch(0, this.totalRows, this.window);
  }

  /** The keys of what is selected: the picked rows, or the selected one. */
  get selectedKeys(): readonly string[] {
    if (this.picked.size > 0) return [...this.picked.keys];
    return this.selection.key === null ? [] : [this.selection.key];
  }

  #moveTo(index: number): number {
    const place = Math.max(0, Math.min(index, this.totalRows - 1));
    this.selection = { key: rowAt(this.window, place)?.key ?? null, index: place };
    this.scrollWish = { index: place };
    return place;
  }

  /** Selects an operation's row without scrolling; it may not have arrived yet. */
  selectOperation(operation: number): void {
    this.picked.clear();
    const key = `o${operation}`;
    this.selection = { key, index: placeOf(this.window, key) ?? null };
  }

  /**
   * Selects the operation or loose row after the selected one, or before it, and scrolls to it. False when no row is
   * shown.
   */
  async step(backwards: boolean): Promise<boolean> {
    try {
      await this.#settled();
      const found = await this.#host.rpc('step', { from: this.selection.index, backwards });
      if (found === null) return false;
      this.setFollow(false);
      this.picked.clear(found.index);
      this.selection = { key: found.key, index: found.index };
      this.scrollWish = { index: found.index };
      return true;
    } catch (error) {
      this.problem = errorView(error);
      return false;
    }
  }

  /** From a row inside an operation to the operation's own. */
  async selectParent(): Promise<void> {
    const operation = this.selectedRow?.operation ?? null;
    if (operation === null) return;
    const here = placeOf(this.window, `o${operation}`);
    if (here !== undefined) this.selectAt(here);
    else await this.reveal(operation);
  }

  clearSelection(): void {
    this.picked.clear();
    this.selection = { key: null, index: null };
  }

  async fold(row: Row, expanded: boolean): Promise<void> {
    if (row.operation === null || row.child_count === 0 || row.expanded === expanded) return;
    // What was unfolded is to be seen, not scrolled past.
    if (expanded && this.totalRows + row.child_count > this.#visible.len) this.setFollow(false);
    try {
      await this.#host.rpc('fold', { operation: row.operation, expanded });
      // What was unfolded has not come, and what was folded has not gone.
      this.#rowsWhenLeft += expanded ? row.child_count : -row.child_count;
      this.look();
    } catch (error) {
      this.problem = errorView(error);
    }
  }

  /** Scrolls to the rows that began at a time or later. */
  async seek(micros: number): Promise<void> {
    this.#wantedTime = micros;
    if (this.#isSeeking) return;
    this.#isSeeking = true;
    try {
      while (this.#wantedTime !== undefined) {
        const at_micros = Math.max(0, Math.floor(this.#wantedTime));
        this.#wantedTime = undefined;
        const { index } = await this.#host.rpc('locate_time', { at_micros });
        if (index === null) continue;
        this.setFollow(false);
        this.scrollWish = { index, atTop: true };
      }
    } catch (error) {
      this.problem = errorView(error);
    }
    this.#isSeeking = false;
  }

  /** Selects an operation's row and scrolls to it; lifts the filters when they hide it, and says so. */
  async reveal(operation: number, lifted?: () => void): Promise<void> {
    await this.#reveal(`o${operation}`, () => this.#host.rpc('locate', { operation }), lifted);
  }

  /** The same for the row of an event that belongs to no operation. */
  async revealLoose(event: number, lifted?: () => void): Promise<void> {
    const key = `e${event}`;
    await this.#reveal(key, () => this.#host.rpc('locate_row', { key }), lifted);
  }

  async #reveal(key: string, locate: () => Promise<RowPlace>, lifted?: () => void): Promise<void> {
    try {
      let { index } = await locate();
      if (index === null) {
        this.setFollow(false);
        this.filter = 'all';
        this.server = null;
        this.line = '';
        lifted?.();
        await this.#send();
        ({ index } = await locate());
      }
      if (index === null) return;
      this.setFollow(false);
      this.picked.clear(index);
      this.selection = { key, index };
      this.scrollWish = { index };
    } catch (error) {
      this.problem = errorView(error);
    }
  }
}
