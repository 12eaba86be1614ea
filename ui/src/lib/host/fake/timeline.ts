import type { Row } from '$lib/bindings/Row';
import type { TimelineLook } from '$lib/bindings/TimelineLook';
import type { TimelinePatch } from '$lib/bindings/TimelinePatch';
import { density, rowAt } from './density';
import { readFilter } from './filter';
import type { Handlers } from './handlers';
import type { FakeJournal } from './journal';
import { stepped } from './step';

type OfTimeline =
  | 'look'
  | 'fold'
  | 'locate'
  | 'locate_row'
  | 'locate_time'
  | 'row_keys'
  | 'density'
  | 'read_filter'
  | 'step'
  | 'stop_search';

/** The rows of a journal, as they are looked at. */
export class FakeTimeline {
  readonly #journal: FakeJournal;
  #look: TimelineLook = { start: 0, len: 100, follow: true, filter: 'all', server: null, line: '' };
  #sent: Row[] = [];
  #sentStart = -1;
  #revision = 0;

  constructor(journal: FakeJournal) {
    this.#journal = journal;
  }

  get #rows(): Row[] {
    return this.#journal.rows(this.#look.filter, this.#look.server, this.#look.line);
  }

  #locate(key: string): { index: number | null } {
    const index = this.#rows.findIndex((row) => row.key === key);
    return { index: index < 0 ? null : index };
  }

  /** A page has come that knows nothing. */
  attached(): void {
    this.#sent = [];
    this.#sentStart = -1;
  }

  /** What of the rows that are looked at the page does not have; all of them where it wants the whole. */
  patch(whole: boolean): TimelinePatch {
    const window = this.#journal.window(this.#look);
    const moved = whole || window.start !== this.#sentStart;
    const rows = window.rows
      .map((row, place) => ({ place, row }))
      .filter(({ place, row }) => moved || this.#sent[place] !== row);
    this.#sent = window.rows;
    this.#sentStart = window.start;
    this.#revision += 1;
    return {
      revision: this.#revision,
      total_rows: window.total,
      top_rows: this.#journal.topCount(this.#look.filter, this.#look.server, this.#look.line),
      error_count: this.#journal.errorCount(),
      find: this.#look.line === '' ? null : { line: this.#look.line, search: null },
      start: window.start,
      len: window.rows.length,
      rows,
      whole: moved,
    };
  }

  readonly handlers: Handlers<OfTimeline> = {
    look: ({ look }) => {
      this.#look = look;
      return structuredClone(this.patch(true));
    },
    fold: ({ operation, expanded }) => {
      const found = this.#journal.operations[operation];
      if (found !== undefined) this.#journal.change(found, { expanded });
      return null;
    },
    locate: ({ operation }) => this.#locate(`o${operation}`),
    locate_row: ({ key }) => this.#locate(key),
    locate_time: ({ at_micros }) => ({ index: rowAt(this.#rows, at_micros) }),
    row_keys: ({ start, len }) => this.#rows.slice(start, start + len).map((row) => row.key),
    density: () => density(this.#journal),
    read_filter: ({ line, cursor }) => readFilter(line, cursor, this.#journal.names()),
    step: (from) => stepped(this.#rows, from),
    stop_search: () => null,
  };
}
