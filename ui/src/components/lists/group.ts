/** Entries under one heading. */
export interface Group<T> {
  readonly name: string;
  readonly entries: readonly T[];
}

/** A line of a list: an entry, or the heading above some. */
export type ListRow<T> =
  | { readonly kind: 'entry'; readonly entry: T; readonly nth: number }
  | { readonly kind: 'heading'; readonly name: string; readonly count: number };
