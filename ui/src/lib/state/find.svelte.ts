import type { FilterReading } from '$lib/bindings/FilterReading';
import type { FilterSuggestion } from '$lib/bindings/FilterSuggestion';
import { errorView, type Host } from '$lib/host/host';
import { markerOf } from '$lib/text/marks';
import type { Timeline } from './timeline.svelte';

/** How long after the last key the rows are filtered. */
const APPLY_MILLIS = 180;
/** How long after the last key a line that cannot be read is complained about: it may only be unfinished. */
const COMPLAIN_MILLIS = 700;
const STORED = 'roundtrip.filters';

const UNREAD: FilterReading = { problem: null, suggestions: [], start: 0, end: 0, texts: [] };

/** The filter line while it is typed, and stepping through the rows that fit. */
export class Find {
  /** As it stands in the field. */
  text = $state('');
  reading: FilterReading = $state.raw(UNREAD);
  /** The line cannot be read, and the person has had time to finish it. */
  complains = $state(false);
  /** A wish to put the focus into the field. */
  focusWish = $state(0);

  /** What of a text was found. */
  readonly marker = $derived.by(() => markerOf(this.#texts));

  #texts = $derived.by(() =>
    this.reading.problem === null && this.timeline.line !== '' ? this.reading.texts : [],
  );
  readonly #host: Host;
  readonly timeline: Timeline;
  #session: string | undefined;
  #asked = 0;
  /** A step that found no row while the search still goes on. */
  #waiting: { readonly backwards: boolean } | undefined;
  #applying: ReturnType<typeof setTimeout> | undefined;
  #complaining: ReturnType<typeof setTimeout> | undefined;

  constructor(host: Host, timeline: Timeline) {
    this.#host = host;
    this.timeline = timeline;
  }

  /** The rows are of this recording from now on; each has a line of its own, as long as the window lasts. */
  enter(session: string): void {
    if (session === this.#session) return;
    this.#session = session;
    const line = stored()[session] ?? '';
    if (line === this.text) return;
    this.text = line;
    void this.read(line.length).then(() => this.apply());
  }

  /** The line was changed in the field. */
  typed(cursor: number): void {
    this.complains = false;
    this.#waiting = undefined;
    clearTimeout(this.#applying);
    clearTimeout(this.#complaining);
    void this.read(cursor);
    this.#applying = setTimeout(() => void this.apply(), APPLY_MILLIS);
    this.#complaining = setTimeout(() => {
      this.complains = true;
    }, COMPLAIN_MILLIS);
  }

  /** Reads the line again, for suggestions where the cursor is. */
  async read(cursor: number): Promise<void> {
    this.#asked += 1;
    const number = this.#asked;
    try {
      const reading = await this.#host.rpc('read_filter', { line: this.text, cursor });
      if (number === this.#asked) this.reading = reading;
    } catch (error) {
      if (number === this.#asked) this.timeline.problem = errorView(error);
    }
  }

  /** Filters the rows by the line, if it can be read. Whether it can. */
  async apply(): Promise<boolean> {
    clearTimeout(this.#applying);
    const line = this.text;
    let problem = this.reading.problem;
    if (line !== this.timeline.line) {
      await this.read(line.length);
      problem = this.reading.problem;
    }
    if (line !== this.text || problem !== null) return false;
    this.timeline.setLine(line.trim() === '' ? '' : line);
    this.#keep(line);
    return true;
  }

  /** What is wrong is to be seen now. */
  complain(): void {
    this.complains = true;
  }

  clear(): void {
    clearTimeout(this.#applying);
    clearTimeout(this.#complaining);
    this.#asked += 1;
    this.#waiting = undefined;
    this.text = '';
    this.reading = UNREAD;
    this.complains = false;
    this.timeline.setLine('');
    this.#keep('');
  }

  /** The line with a suggestion in its place, and where the cursor goes. */
  pick(suggestion: FilterSuggestion): number {
    const { start, end } = this.reading;
    const after = this.text.slice(end);
    const space = suggestion.goes_on || after.startsWith(' ') ? '' : ' ';
    this.text = this.text.slice(0, start) + suggestion.insert + space + after;
    const cursor = start + suggestion.insert.length + (suggestion.goes_on ? 0 : 1);
    this.typed(cursor);
    return cursor;
  }

  /** Selects the next row that fits, or the one before. */
  async step(backwards: boolean): Promise<void> {
    if (this.text !== this.timeline.line && !(await this.apply())) {
      if (this.reading.problem !== null) this.complain();
      return;
    }
    this.#waiting = undefined;
    const isThere = await this.timeline.step(backwards);
    if (!isThere && this.timeline.find?.search?.state === 'searching') this.#waiting = { backwards };
  }

  /** The same by a key from anywhere: without a line the field is what is wanted. */
  stepOrAsk(backwards: boolean): void {
    if (this.text === '') this.focusWish += 1;
    else void this.step(backwards);
  }

  /** The timeline was told of: a first find may be what a step waits for. */
  wentOn(): void {
    const wish = this.#waiting;
    if (wish === undefined) return;
    if (this.timeline.totalRows > 0) void this.step(wish.backwards);
    else if (this.timeline.find?.search?.state !== 'searching') this.#waiting = undefined;
  }

  async stop(): Promise<void> {
    try {
      await this.#host.rpc('stop_search', {});
    } catch (error) {
      this.timeline.problem = errorView(error);
    }
  }

  #keep(line: string): void {
    if (this.#session === undefined) return;
    const { [this.#session]: _, ...others } = stored();
    const all = line === '' ? others : { ...others, [this.#session]: line };
    try {
      sessionStorage.setItem(STORED, JSON.stringify(all));
    } catch {
      // Without room for it the line is forgotten with the page.
    }
  }
}

function stored(): Record<string, string> {
  try {
    const read: unknown = JSON.parse(sessionStorage.getItem(STORED) ?? '{}');
    if (typeof read !== 'object' || read === null) return {};
    return Object.fromEntries(
      Object.entries(read).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return {};
  }
}
