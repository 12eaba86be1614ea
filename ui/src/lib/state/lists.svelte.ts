import type { ErrorView } from '$lib/bindings/ErrorView';
import type { FreshnessView } from '$lib/bindings/FreshnessView';
import type { ListKind } from '$lib/bindings/ListKind';
import type { ListView } from '$lib/bindings/ListView';
import type { Mark } from '$lib/bindings/Mark';
import { errorView, type Host } from '$lib/host/host';

/** What every entry of a list has. */
export interface Listed {
  /** Its place in this version of the list. */
  readonly index: number;
  /** Which it is of those with its name, from 0. */
  readonly nth: number;
  readonly mark: Mark | null;
  readonly problems: readonly string[];
}

/** What kind of list it is. */
export interface ListSort<T extends Listed> {
  readonly kind: ListKind;
  /** Reads what the core knows of it. */
  readonly read: (host: Host, server: string) => Promise<ListView<T>>;
  /** What an entry is called by: its name or URI. */
  readonly name: (entry: T) => string;
  /** Where a filter looks. */
  readonly words: (entry: T) => string;
}

/** An entry's identity across versions of its list: its name, and which of those with that name. */
export function entryKey(name: string, nth: number): string {
  return nth === 0 ? name : `${name}\u0000${nth}`;
}

/** Whether an answer has outlived its time. Without a time, or with none to live, only the server knows. */
export function isStale(freshness: FreshnessView, nowMicros: number): boolean {
  const until = freshness.fresh_until_micros;
  return freshness.invalidated || (until !== null && until > freshness.fetched_micros && until <= nowMicros);
}

/** One list of one server. */
export class ServerList<T extends Listed> {
  readonly server: string;
  readonly sort: ListSort<T>;
  list: ListView<T> | null = $state.raw(null);
  error: ErrorView | null = $state.raw(null);
  loading = $state(false);
  filter = $state('');
  /** The chosen entry's key. */
  chosen: string | null = $state(null);

  readonly entries: readonly T[] = $derived(this.list?.entries ?? []);
  readonly #texts = $derived.by(() => this.entries.map((entry) => this.sort.words(entry).toLowerCase()));
  readonly #byKey = $derived.by(() => new Map(this.entries.map((entry) => [this.keyOf(entry), entry])));
  /** The entries that have all words of the filter. */
  readonly shown: readonly T[] = $derived.by(() => {
    const words = this.filter.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return this.entries;
    return this.entries.filter((_, at) => words.every((word) => this.#texts[at]?.includes(word) === true));
  });
  readonly chosenEntry: T | undefined = $derived(
    this.chosen === null ? undefined : this.#byKey.get(this.chosen),
  );
  /** It is on its way, from the server or from the core. */
  readonly isLoading = $derived(this.list?.state.kind === 'loading' || (this.list === null && this.loading));
  readonly failure: ErrorView | null = $derived(
    this.error ?? (this.list?.state.kind === 'failed' ? this.list.state.error : null),
  );

  protected readonly host: Host;
  #version: string | undefined;

  constructor(host: Host, server: string, sort: ListSort<T>) {
    this.host = host;
    this.server = server;
    this.sort = sort;
  }

  keyOf(entry: T): string {
    return entryKey(this.sort.name(entry), entry.nth);
  }

  /** The server's list has this version now, which no other list of its has; reads it when that is news. */
  async sync(version: string): Promise<void> {
    if (version === this.#version) return;
    this.#version = version;
    this.loading = true;
    try {
      const list = await this.sort.read(this.host, this.server);
      if (version !== this.#version) return;
      this.list = list;
      this.error = null;
      if (this.chosenEntry === undefined) {
        const first = list.entries[0];
        this.chosen = first === undefined ? null : this.keyOf(first);
      }
    } catch (error) {
      if (version !== this.#version) return;
      this.error = errorView(error);
    }
    this.loading = false;
  }

  /** It is looked at: fetches it when it never was, or has outlived its time. */
  async need(nowMicros: number): Promise<void> {
    const list = this.list;
    if (list === null || !list.declared) return;
    const isOld =
      list.state.kind === 'ready' && list.freshness !== null && isStale(list.freshness, nowMicros);
    if (list.state.kind === 'unasked' || isOld) await this.#ask(false);
  }

  /** Asks the server for its list again, whatever is known of it. */
  async refresh(): Promise<void> {
    await this.#ask(true);
  }

  /** Asks for the next page. */
  async more(): Promise<void> {
    await this.#try(() => this.host.rpc('fetch_more', { server: this.server, list: this.sort.kind }));
  }

  async #ask(refresh: boolean): Promise<void> {
    await this.#try(() =>
      this.host.rpc('fetch_list', { server: this.server, list: this.sort.kind, refresh }),
    );
  }

  async #try(action: () => Promise<unknown>): Promise<void> {
    try {
      await action();
      this.error = null;
    } catch (error) {
      this.error = errorView(error);
    }
  }
}
