/** A table that was read from text, and what was met on the way. */
export interface Table {
  readonly rows: readonly (readonly string[])[];
  readonly columns: number;
  /** Rows were left out because there are too many. */
  readonly isCut: boolean;
  readonly separator: string;
}

/** More rows are not read: nobody scrolls through them, and each costs memory of the page. */
export const MOST_ROWS = 200_000;

const SEPARATORS = [',', ';', '\t', '|'];

/** The separator that the first line holds most often outside quotes; a comma where it holds none. */
export function separatorOf(text: string): string {
  const counts = new Map<string, number>();
  let isQuoted = false;
  for (const character of text.slice(0, 20_000)) {
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '\n' || character === '\r')) {
      if (counts.size > 0) break;
    } else if (!isQuoted && SEPARATORS.includes(character))
      counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? ',';
}

/** Reads comma-separated values (RFC 4180). Never fails: a quote that is not closed reaches to the end. */
export function readTable(text: string, separator = separatorOf(text), most = MOST_ROWS): Table {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  let columns = 0;
  let isCut = false;
  while (at <= text.length) {
    let field: string;
    if (text[at] === '"') {
      field = '';
      let from = at + 1;
      for (;;) {
        const quote = text.indexOf('"', from);
        if (quote < 0) {
          field += text.slice(from);
          at = text.length;
          break;
        }
        field += text.slice(from, quote);
        if (text[quote + 1] !== '"') {
          at = quote + 1;
          break;
        }
        field += '"';
        from = quote + 2;
      }
      // What stands between a closing quote and the separator belongs to nobody; it is kept.
      const rest = nextEdge(text, at, separator);
      field += text.slice(at, rest);
      at = rest;
    } else {
      const edge = nextEdge(text, at, separator);
      field = text.slice(at, edge);
      at = edge;
    }
    row.push(field);
    if (at < text.length && text[at] === separator) {
      at += 1;
      continue;
    }
    const isEmptyEnd = at >= text.length && row.length === 1 && field === '';
    if (!isEmptyEnd) {
      columns = Math.max(columns, row.length);
      rows.push(row);
    }
    row = [];
    if (at >= text.length) break;
    at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1;
    if (rows.length >= most && at < text.length) {
      isCut = true;
      break;
    }
  }
  return { rows, columns, isCut, separator };
}

function nextEdge(text: string, from: number, separator: string): number {
  let at = from;
  while (at < text.length) {
    const character = text[at];
    if (character === separator || character === '\n' || character === '\r') return at;
    at += 1;
  }
  return at;
}
