import type { Header } from '$lib/bindings/Header';
import type { HeaderEdit } from '$lib/bindings/HeaderEdit';

/** What is sent says these, and nobody else. */
const FIXED: ReadonlySet<string> = new Set(['host', 'content-length']);

/** A line of the editor: a header as it was sent, or a new one. */
export interface HeaderDraft {
  readonly id: number;
  name: string;
  value: string;
  /** The header as it was; `undefined` for a new one. */
  readonly before: Header | undefined;
  /** It is not to be sent. */
  isLeftOut: boolean;
}

/** The lines to begin from. */
export function headerDrafts(sent: readonly Header[]): HeaderDraft[] {
  return sent
    .filter(({ name }) => !FIXED.has(name.toLowerCase()))
    .map((before, id) => ({ id, name: before.name, value: before.value, before, isLeftOut: false }));
}

/**
 * What differs from what was sent: it alone is told, so that what Roundtrip makes anew for each request (a token, a
 * session) is made anew. A name that was changed stands for the new one, and the old one is left out.
 */
export function headerEdits(drafts: readonly HeaderDraft[]): HeaderEdit[] {
  const edits: HeaderEdit[] = [];
  for (const { name, value, before, isLeftOut } of drafts) {
    const wanted = name.trim();
    if (before === undefined) {
      if (!isLeftOut && (wanted !== '' || value !== '')) edits.push({ name: wanted, value });
      continue;
    }
    const isRenamed = wanted.toLowerCase() !== before.name.toLowerCase();
    if (isLeftOut || isRenamed) edits.push({ name: before.name, value: null });
    if (!isLeftOut && (isRenamed || value !== before.value)) edits.push({ name: wanted, value });
  }
  return edits;
}
