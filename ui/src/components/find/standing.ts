import type { FindView } from '$lib/bindings/FindView';
import { byteSize, count, plural } from '$lib/text/quantity';

/** What is said of a filter line that is set: how many rows fit, and how far the search is. */
export interface Standing {
  readonly text: string;
  readonly title: string;
  readonly isSearching: boolean;
  /** How much was searched, from 0 to 1; absent when there is nothing to wait for. */
  readonly share: number | undefined;
}

export function standing(find: FindView | null, rows: number): Standing {
  const said = plural(rows, 'row');
  const search = find?.search ?? null;
  if (search === null || search.state === 'done') {
    return { text: said, title: `${said} fit`, isSearching: false, share: undefined };
  }
  const share = search.byte_len === 0 ? 1 : Math.min(1, search.searched_byte_len / search.byte_len);
  const percent = `${Math.floor(share * 100)} %`;
  const of = `${byteSize(search.searched_byte_len)} of ${byteSize(search.byte_len)} searched`;
  if (search.state === 'stopped') {
    const why = search.problem ?? 'Stopped: there may be more.';
    return {
      text: `${count(rows)}, stopped at ${percent}`,
      title: `${why} ${of}`,
      isSearching: false,
      share: undefined,
    };
  }
  return { text: `${said} · ${percent}`, title: of, isSearching: true, share };
}
