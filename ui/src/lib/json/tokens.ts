/** What a stretch of JSON text is, for colour only. */
export type TokenKind = 'key' | 'string' | 'number' | 'word' | 'plain';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const TOKEN = /("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;

/**
 * Splits one line of JSON text for colouring. It never fails and loses nothing: the tokens' texts put together are
 * the line. Strings do not span lines in JSON, so a line needs no context.
 */
export function tokens(line: string): Token[] {
  const found: Token[] = [];
  let end = 0;
  const plain = (to: number): void => {
    if (to > end) found.push({ kind: 'plain', text: line.slice(end, to) });
  };
  for (const match of line.matchAll(TOKEN)) {
    const [whole, string, colon, number] = match;
    plain(match.index);
    if (string !== undefined) {
      found.push({ kind: colon === undefined ? 'string' : 'key', text: string });
      if (colon !== undefined) found.push({ kind: 'plain', text: colon });
    } else {
      found.push({ kind: number === undefined ? 'word' : 'number', text: whole });
    }
    end = match.index + whole.length;
  }
  plain(line.length);
  return found;
}
