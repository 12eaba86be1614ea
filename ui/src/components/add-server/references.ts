/** Names of secrets inside arguments and URLs: `--api-key=${secret:NAME}`. */

const REFERENCE = /\$\{secret:([^}]*)\}/g;

/** The names that a text refers to, each once. */
export function namesIn(text: string): string[] {
  return [...new Set([...text.matchAll(REFERENCE)].map((found) => found[1] ?? ''))];
}

/** The text with something plain in the place of each reference: names may hold what would end a part of a URL. */
export const plainUrl = (url: string): string => url.replace(REFERENCE, 'secret');
