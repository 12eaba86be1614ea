/*
 * What may stand at a place of JSON text that is being written, by a schema: keys, and the values of which there are
 * few. The text need not be whole, and nothing is parsed into numbers. Schemas come from servers: one that refers to
 * itself, or is no schema, suggests nothing.
 */

import { readString } from './outline';

/** Something that may stand at the cursor. */
export interface Suggestion {
  /** What a person reads: the key, or the value's text. */
  readonly label: string;
  /** Its type, and what the schema says of it. */
  readonly detail: string;
  /** The text that takes the place of what is between {@link Suggestions.from} and `to`. */
  readonly insert: string;
}

/** What may stand where the cursor is. */
export interface Suggestions {
  readonly from: number;
  readonly to: number;
  readonly items: readonly Suggestion[];
}

export const NOTHING: Suggestions = { from: 0, to: 0, items: [] };

const MOST_ITEMS = 100;
const DEEPEST_SCHEMA = 24;

type Schema = Readonly<Record<string, unknown>>;

interface Level {
  readonly isObject: boolean;
  /** Of an object, the key whose value comes; of an array, the place. */
  step: string | number;
  /** A key is to come next, and not a value. */
  wantsKey: boolean;
  readonly keys: Set<string>;
}

interface Spot {
  readonly path: readonly (string | number)[];
  readonly isKey: boolean;
  /** The keys that the object has already. */
  readonly keys: ReadonlySet<string>;
  readonly from: number;
  readonly to: number;
  /** What is written so far of the key or value, without its quotes. */
  readonly typed: string;
  readonly hasColon: boolean;
}

/** Where in the tree the cursor is; `undefined` where nothing can be written on (within a number, after a value). */
function spotAt(text: string, cursor: number): Spot | undefined {
  const levels: Level[] = [];
  let at = 0;
  let afterValue = false;
  while (at < cursor) {
    const character = text.charAt(at);
    const level = levels.at(-1);
    if (character === '"') {
      const end = stringEnd(text, at);
      const isKey = level?.isObject === true && level.wantsKey;
      if (cursor < end || (cursor === end && text[end - 1] !== '"') || end === at + 1) {
        return spot(text, levels, { from: at, to: end, isKey });
      }
      if (isKey) {
        level.step = readString(text.slice(at, end));
        level.keys.add(level.step);
      } else afterValue = true;
      at = end;
      continue;
    }
    if (character === '{' || character === '[') {
      const isObject = character === '{';
      levels.push({ isObject, step: isObject ? '' : 0, wantsKey: isObject, keys: new Set() });
      afterValue = false;
    } else if (character === '}' || character === ']') {
      levels.pop();
      afterValue = true;
    } else if (character === ',' && level !== undefined) {
      if (level.isObject) level.wantsKey = true;
      else if (typeof level.step === 'number') level.step += 1;
      afterValue = false;
    } else if (character === ':' && level?.isObject === true) {
      level.wantsKey = false;
      afterValue = false;
    } else if (!' \t\r\n'.includes(character)) {
      let end = at;
      while (end < text.length && !' \t\r\n,:{}[]"'.includes(text.charAt(end))) end += 1;
      if (cursor <= end) {
        return spot(text, levels, { from: at, to: end, isKey: level?.isObject === true && level.wantsKey });
      }
      afterValue = true;
      at = end;
      continue;
    }
    at += 1;
  }
  if (afterValue) return undefined;
  const level = levels.at(-1);
  return spot(text, levels, { from: cursor, to: cursor, isKey: level?.isObject === true && level.wantsKey });
}

function spot(
  text: string,
  levels: readonly Level[],
  { from, to, isKey }: { from: number; to: number; isKey: boolean },
): Spot | undefined {
  const level = levels.at(-1);
  if (level === undefined) return undefined;
  const path = levels.slice(0, -1).map(({ step }) => step);
  if (!isKey) path.push(level.step);
  const written = text.slice(from, to);
  const keys = new Set(level.keys);
  if (isKey) for (const key of keysAfter(text, to)) keys.add(key);
  return {
    path,
    isKey,
    keys,
    from,
    to,
    typed: written.startsWith('"')
      ? readString(written.endsWith('"') && written.length > 1 ? written : `${written}"`)
      : written,
    hasColon: /^\s*:/.test(text.slice(to, to + 40)),
  };
}

/** The keys that an object has beyond a place in it. */
function* keysAfter(text: string, from: number): Generator<string> {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"') {
      const end = stringEnd(text, at);
      if (depth === 0 && /^\s*:/.test(text.slice(end, end + 40))) yield readString(text.slice(at, end));
      at = end;
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') depth -= 1;
    if (depth < 0) return;
    at += 1;
  }
}

/** Where a string ends: after its quote, or at its line's end where it has none. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') return at + 1;
    if (character === '\n') return at;
    if (character === '\\') at += 1;
  }
  return text.length;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A schema and all that it is made of by `$ref`, `allOf`, `anyOf`, `oneOf` and its conditions. */
function parts(root: Schema, schema: unknown, depth = 0, seen = new Set<unknown>()): Schema[] {
  if (!isSchema(schema) || seen.has(schema) || depth > DEEPEST_SCHEMA) return [];
  seen.add(schema);
  const found = [schema];
  if (typeof schema['$ref'] === 'string')
    found.push(...parts(root, pointed(root, schema['$ref']), depth + 1, seen));
  for (const word of ['allOf', 'anyOf', 'oneOf']) {
    for (const one of list(schema[word])) found.push(...parts(root, one, depth + 1, seen));
  }
  for (const word of ['then', 'else']) found.push(...parts(root, schema[word], depth + 1, seen));
  return found;
}

function pointed(root: Schema, reference: string): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    at = Array.isArray(at) ? at[Number(key)] : isSchema(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

/** The schema and the root that its references are about: schemas of servers lie within ours. */
interface Rooted {
  readonly root: Schema;
  readonly schema: unknown;
}

function within(from: readonly Rooted[], step: string | number): Rooted[] {
  const found: Rooted[] = [];
  for (const { root, schema } of from) {
    for (const part of parts(root, schema)) {
      if (typeof step === 'number') {
        const first = list(part['prefixItems'])[step];
        found.push({ root, schema: first ?? part['items'] });
      } else {
        const properties = part['properties'];
        const own = isSchema(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined;
        found.push({ root, schema: own ?? part['additionalProperties'] });
      }
    }
  }
  return found.flatMap((one) => {
    if (!isSchema(one.schema)) return [];
    // A schema of its own, whose references begin in it.
    return [one.schema['$own'] === true ? { root: one.schema, schema: one.schema } : one];
  });
}

/** What may stand at the cursor. */
export function suggest(text: string, cursor: number, schema: unknown): Suggestions {
  if (!isSchema(schema)) return NOTHING;
  const where = spotAt(text, cursor);
  if (where === undefined) return NOTHING;
  let here: Rooted[] = [{ root: schema, schema }];
  try {
    for (const step of where.path) here = within(here, step);
    const all = where.isKey ? keys(here, where) : values(here);
    const typed = where.typed.toLowerCase();
    const fits = all.filter(({ label }) => label.toLowerCase().includes(typed));
    // What begins with what is typed comes first.
    const rank = ({ label }: Suggestion): number => (label.toLowerCase().startsWith(typed) ? 0 : 1);
    fits.sort((a, b) => rank(a) - rank(b));
    const isDone = fits.length === 1 && fits[0]?.label === where.typed && where.typed !== '';
    return { from: where.from, to: where.to, items: isDone ? [] : fits.slice(0, MOST_ITEMS) };
  } catch {
    // A reference that cannot be read.
    return NOTHING;
  }
}

function keys(here: readonly Rooted[], where: Spot): Suggestion[] {
  const found = new Map<string, Suggestion>();
  for (const { root, schema } of here) {
    for (const part of parts(root, schema)) {
      const { properties } = part;
      if (!isSchema(properties)) continue;
      const required = list(part['required']);
      for (const [key, of] of Object.entries(properties)) {
        if ((where.keys.has(key) && key !== where.typed) || found.has(key)) continue;
        const detail = [required.includes(key) ? 'required' : '', described({ root, schema: of })];
        const name = JSON.stringify(key);
        found.set(key, {
          label: key,
          detail: detail.filter((word) => word !== '').join(' · '),
          insert: where.hasColon ? name : `${name}: ${begin(root, of)}`,
        });
      }
    }
  }
  return [...found.values()];
}

/** What a value of a schema begins with, where that is certain. */
function begin(root: Schema, schema: unknown): string {
  for (const part of parts(root, schema)) {
    if ('const' in part) return JSON.stringify(part['const']);
    if (typeof part['type'] !== 'string') continue;
    switch (part['type']) {
      case 'string':
        return '""';
      case 'object':
        return '{}';
      case 'array':
        return '[]';
      default:
        return '';
    }
  }
  return '';
}

function values(here: readonly Rooted[]): Suggestion[] {
  const found = new Map<string, Suggestion>();
  const add = (value: unknown, detail: string): void => {
    const insert = JSON.stringify(value);
    if (found.has(insert)) return;
    found.set(insert, { label: typeof value === 'string' ? value : insert, detail, insert });
  };
  for (const { root, schema } of here) {
    for (const part of parts(root, schema)) {
      const detail = typeof part['title'] === 'string' ? part['title'] : '';
      if ('const' in part) add(part['const'], detail);
      for (const value of list(part['enum'])) add(value, '');
      const types = Array.isArray(part['type']) ? part['type'] : [part['type']];
      if (types.includes('boolean')) {
        add(true, '');
        add(false, '');
      }
      if (types.includes('null')) add(null, '');
      if ('default' in part) add(part['default'], 'default');
      for (const value of list(part['examples'])) add(value, 'example');
    }
  }
  return [...found.values()];
}

function described({ root, schema }: Rooted): string {
  let type = '';
  let says = '';
  for (const part of parts(root, schema)) {
    if (type === '') {
      if (typeof part['type'] === 'string') type = part['type'];
      else if (Array.isArray(part['type'])) type = part['type'].join(' or ');
      else if (Array.isArray(part['enum'])) type = 'one of a few';
    }
    if (says === '') {
      const told = part['title'] ?? part['description'];
      if (typeof told === 'string') says = told;
    }
  }
  return [type, says].filter((word) => word !== '').join(' · ');
}
