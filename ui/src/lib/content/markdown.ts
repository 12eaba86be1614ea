import { Lexer, type Token } from 'marked';

/** Longer texts are shown as text: laying them out would hold up the page. */
export const LONGEST_MARKDOWN = 200_000;

/** Blocks this deep in one another are no writing: taking them apart would take the square of their number. */
const TOO_DEEP = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){40}/m;

/** The blocks of a Markdown text; `undefined` where it is too long or cannot be laid out. */
export function blocksOf(text: string): readonly Token[] | undefined {
  if (text.length > LONGEST_MARKDOWN || TOO_DEEP.test(text)) return undefined;
  try {
    return new Lexer({ gfm: true }).lex(text);
  } catch {
    // Nested beyond measure.
    return undefined;
  }
}

const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi;

/** A text with its character references read. */
export function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(ENTITY, (entity) => {
    const read = new DOMParser().parseFromString(entity, 'text/html').body.textContent;
    return read === '' ? entity : read;
  });
}
