import type { FoundJson } from '$lib/bindings/FoundJson';
import type { JsonChildren } from '$lib/bindings/JsonChildren';
import type { JsonHit } from '$lib/bindings/JsonHit';
import type { JsonKind } from '$lib/bindings/JsonKind';
import type { JsonNode } from '$lib/bindings/JsonNode';

/*
 * JSON text that is in the page, seen as a tree by offsets: what the core does for bodies. Tokens are cut out of the
 * text and never parsed into numbers. Of text that is no JSON something is given; nothing recurses.
 */

interface Extent {
  readonly start: number;
  readonly end: number;
  readonly length: number;
}

const TOKEN_LENGTH = 300;
const MOST_HITS = 500;

function skipSpace(json: string, from: number): number {
  let at = from;
  while (at < json.length && ' \t\n\r'.includes(json.charAt(at))) at += 1;
  return at;
}

function stringEnd(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') return at + 1;
    if (character === '\\') at += 1;
  }
  return json.length;
}

function scalarEnd(json: string, start: number): number {
  let at = start;
  while (at < json.length && !',}] \t\n\r'.includes(json.charAt(at))) at += 1;
  return at;
}

function extent(json: string, from: number): Extent {
  const start = skipSpace(json, from);
  const opens = json[start];
  if (opens === '"') return { start, end: stringEnd(json, start), length: 0 };
  if (opens !== '{' && opens !== '[') return { start, end: scalarEnd(json, start), length: 0 };
  let depth = 0;
  let commas = 0;
  let isEmpty = true;
  let at = start;
  while (at < json.length) {
    const character = json[at];
    if (character === '"') {
      if (depth === 1) isEmpty = false;
      at = stringEnd(json, at);
      continue;
    }
    if (character === '{' || character === '[') {
      if (depth === 1) isEmpty = false;
      depth += 1;
    } else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return { start, end: at + 1, length: isEmpty ? 0 : commas + 1 };
    } else if (character === ',') {
      if (depth === 1) commas += 1;
    } else if (depth === 1 && !': \t\n\r'.includes(character ?? '')) isEmpty = false;
    at += 1;
  }
  return { start, end: json.length, length: isEmpty ? 0 : commas + 1 };
}

interface Child {
  readonly key: string | null;
  readonly value: Extent;
}

function* childrenFrom(json: string, container: number): Generator<Child> {
  const hasKeys = json[container] === '{';
  let at = container + 1;
  for (;;) {
    at = skipSpace(json, at);
    if (json[at] === ',') at = skipSpace(json, at + 1);
    if (at >= json.length || json[at] === '}' || json[at] === ']') return;
    let key: string | null = null;
    const from = at;
    if (hasKeys) {
      const end = stringEnd(json, at);
      key = readString(json.slice(at, end));
      at = skipSpace(json, end);
      if (json[at] === ':') at += 1;
    }
    const value = extent(json, at);
    at = Math.max(value.end, from + 1);
    yield { key, value };
  }
}

/** The text that a string token stands for; one that cannot be read stays as it is, without its quotes. */
export function readString(token: string): string {
  if (!token.includes('\\')) return token.replace(/^"|"$/g, '');
  try {
    const read: unknown = JSON.parse(token);
    if (typeof read === 'string') return read;
  } catch {
    // Not a string token; it stays as it is.
  }
  return token.replace(/^"|"$/g, '');
}

function kindAt(json: string, start: number): JsonKind {
  switch (json[start]) {
    case '{':
      return 'object';
    case '[':
      return 'array';
    case '"':
      return 'string';
    case 't':
    case 'f':
      return 'boolean';
    case 'n':
      return 'null';
    default:
      return 'number';
  }
}

function node(json: string, { key, value }: Child): JsonNode {
  const kind = kindAt(json, value.start);
  const isContainer = kind === 'object' || kind === 'array';
  const text = isContainer ? '' : json.slice(value.start, Math.min(value.end, value.start + TOKEN_LENGTH));
  return {
    at: value.start,
    byte_len: value.end - value.start,
    key,
    kind,
    text,
    is_cut: !isContainer && value.end - value.start > TOKEN_LENGTH,
    child_count: value.length,
  };
}

/** Some children of the value at an offset; without one the root, as the only child. */
export function childrenOf(json: string, at: number | null, start: number, length: number): JsonChildren {
  if (at === null) return { total: 1, children: [node(json, { key: null, value: extent(json, 0) })] };
  const children: JsonNode[] = [];
  const { length: total } = extent(json, at);
  let index = 0;
  for (const child of childrenFrom(json, at)) {
    if (index >= start + length) break;
    if (index >= start) children.push(node(json, child));
    index += 1;
  }
  return { total, children };
}

/** The text of the value at an offset, as it stands. */
export function valueText(json: string, at: number): string {
  const { start, end } = extent(json, at);
  return json.slice(start, end);
}

/** The keys and scalars that hold a text. */
export function findIn(json: string, wanted: string): FoundJson {
  const hits: JsonHit[] = [];
  let total = 0;
  if (wanted === '') return { total, hits };
  const lower = wanted.toLowerCase();
  const holds = (text: string): boolean => text.toLowerCase().includes(lower);
  const open: { at: number; index: number; walk: Generator<Child> }[] = [];
  const root = extent(json, 0);
  const visit = (key: string | null, value: Extent): void => {
    const kind = kindAt(json, value.start);
    const isContainer = kind === 'object' || kind === 'array';
    const token = isContainer ? '' : json.slice(value.start, value.end);
    const read = kind === 'string' ? readString(token) : token;
    if ((key !== null && holds(key)) || holds(token) || holds(read)) {
      total += 1;
      if (hits.length < MOST_HITS)
        hits.push({ at: value.start, way: open.map((one) => ({ at: one.at, index: one.index })) });
    }
    if (isContainer) open.push({ at: value.start, index: -1, walk: childrenFrom(json, value.start) });
  };
  visit(null, root);
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const next = last.walk.next();
    if (next.done === true) {
      open.pop();
      continue;
    }
    last.index += 1;
    visit(next.value.key, next.value.value);
  }
  return { total, hits };
}
