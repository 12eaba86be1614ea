import type { JsonNode } from '$lib/bindings/JsonNode';
import { childrenOf, readString } from '$lib/json/outline';

/** Structured content that is a table: a list of flat objects, as it stands or as the only member of an object. */
export interface Table {
  readonly columns: readonly string[];
  /** The cells' texts, numbers with their digits; undefined where a row lacks the column. */
  readonly rows: readonly (readonly (string | undefined)[])[];
  /** The member that holds the list, where there is one. */
  readonly name: string | undefined;
}

const MOST_COLUMNS = 30;
const ALL = Number.POSITIVE_INFINITY;

/** The table that JSON text holds, when it does. */
export function tableOf(json: string): Table | undefined {
  const [root] = childrenOf(json, null, 0, 1).children;
  if (root === undefined) return undefined;
  if (root.kind === 'array') return table(json, root, undefined);
  if (root.kind !== 'object' || root.child_count !== 1) return undefined;
  const [only] = childrenOf(json, root.at, 0, 1).children;
  return only?.kind === 'array' ? table(json, only, only.key ?? undefined) : undefined;
}

function table(json: string, list: JsonNode, name: string | undefined): Table | undefined {
  const columns = new Map<string, number>();
  const rows: (string | undefined)[][] = [];
  for (const item of childrenOf(json, list.at, 0, ALL).children) {
    if (item.kind !== 'object') return undefined;
    const row: (string | undefined)[] = [];
    for (const cell of childrenOf(json, item.at, 0, ALL).children) {
      if (cell.kind === 'object' || cell.kind === 'array') return undefined;
      const key = cell.key ?? '';
      const column = columns.get(key) ?? columns.size;
      columns.set(key, column);
      row[column] = cell.kind === 'string' ? textOf(cell) : cell.text;
    }
    rows.push(row);
    if (columns.size > MOST_COLUMNS) return undefined;
  }
  if (columns.size === 0) return undefined;
  return {
    columns: [...columns.keys()],
    rows: rows.map((row) => Array.from({ length: columns.size }, (_, column) => row[column])),
    name,
  };
}

/** What a string says; a token that was cut has lost its closing quote. */
function textOf(cell: JsonNode): string {
  return cell.is_cut ? `${readString(`${cell.text}"`)}…` : readString(cell.text);
}
