/** A tab: what it stands for and what it is called. */
export interface Tab<T extends string> {
  value: T;
  label: string;
  /** A figure beside the label. */
  count?: string | undefined;
  /** Keys that go there from anywhere, as lib/keys writes them. */
  readonly keys?: string | undefined;
  /** How much there needs the person. */
  badge?: { text: string; words: string } | undefined;
}
