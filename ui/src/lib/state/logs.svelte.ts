import type { ErrorView } from '$lib/bindings/ErrorView';
import type { LogFilter } from '$lib/bindings/LogFilter';
import type { LogLine } from '$lib/bindings/LogLine';
import type { LogWindow } from '$lib/bindings/LogWindow';
import { errorView, type Host } from '$lib/host/host';

/** Between two readings while lines come. */
const PAUSE_MILLIS = 150;
/** Lines asked for at once. */
const PAGE = 200;

const EVERYTHING: LogFilter = { level: null, logger: null, text: '', messages: true, stderr: true };

/** The log of one server: the lines around those in sight; the core holds the rest. */
export class ServerLogs {
  filter: LogFilter = $state.raw(EVERYTHING);
  /** Where the log ends is in sight, and stays so while lines come. */
  follow = $state(true);
  window: LogWindow | undefined = $state.raw();
  error: ErrorView | null = $state.raw(null);
  /** Why the level that was asked for last was refused; lines that come do not take it away. */
  refusal: ErrorView | null = $state.raw(null);
  /** The line that is looked at, by its event. */
  chosen: LogLine | undefined = $state.raw();
  isFiltered = $derived.by(() => {
    const { level, logger, text, messages, stderr } = this.filter;
    return level !== null || logger !== null || text !== '' || !messages || !stderr;
  });

  readonly #host: Host;
  readonly #server: string;
  #seen = { start: 0, length: 60 };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reading = false;
  #again = false;

  constructor(host: Host, server: string) {
    this.#host = host;
    this.#server = server;
  }

  /** The line at a place among those that fit, when it is here. */
  line(index: number): LogLine | undefined {
    return this.window?.lines[index - this.window.start];
  }

  /** The place of a line, when it is here. */
  placeOf(line: LogLine | undefined): number | undefined {
    const window = this.window;
    if (line === undefined || window === undefined) return undefined;
    const at = window.lines.findIndex(({ event }) => event === line.event);
    return at < 0 ? undefined : window.start + at;
  }

  /** These lines are in sight now. */
  see(start: number, length: number): void {
    this.#seen = { start, length };
    const window = this.window;
    if (window === undefined || this.follow) return;
    const [from, to] = [window.start, window.start + window.lines.length];
    if (start < from || Math.min(start + length, window.total) > to) void this.read();
  }

  /** Something happened: it is read now, or after a pause where much happens. */
  news(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.read();
    }, PAUSE_MILLIS);
  }

  set(change: Partial<LogFilter>): void {
    this.filter = { ...this.filter, ...change };
    void this.read();
  }

  clearFilter(): void {
    this.set(EVERYTHING);
  }

  setFollow(follow: boolean): void {
    if (this.follow === follow) return;
    this.follow = follow;
    void this.read();
  }

  async read(): Promise<void> {
    if (this.#reading) {
      this.#again = true;
      return;
    }
    this.#reading = true;
    do {
      this.#again = false;
      const { start, length } = this.#seen;
      const filter = this.filter;
      try {
        const window = await this.#host.rpc('logs', {
          server: this.#server,
          filter,
          start: Math.max(0, start - Math.floor((PAGE - length) / 2)),
          len: Math.max(PAGE, length),
          follow: this.follow,
        });
        // What was asked for since is read next; lines of another filter would stand at wrong places.
        if (filter === this.filter) this.window = window;
        else this.#again = true;
        this.error = null;
      } catch (error) {
        this.error = errorView(error);
      }
    } while (this.#again);
    this.#reading = false;
  }

  /** From which level on the server is to log. */
  async ask(level: string | null): Promise<void> {
    try {
      await this.#host.rpc('set_log_level', { server: this.#server, level });
      this.refusal = null;
    } catch (error) {
      this.refusal = errorView(error);
    }
    await this.read();
  }
}
