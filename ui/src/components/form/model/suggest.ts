/** What a schema suggests where somebody writes JSON by hand. */

import { cursorAt } from '$lib/json/cursor';
import { compact, get, getString, readJson, stringToken, type JsonNode } from './json';
import { lookUp, namesIn, placesOf } from './holds';

export interface Suggestion {
  readonly label: string;
  /** What it is, in a few words. */
  readonly detail: string;
  /** What is put in the place of what is written. */
  readonly text: string;
  /** Where the cursor goes, counted from the start of that. */
  readonly cursor: number;
}

export interface Suggestions {
  /** The part of the text that they replace. */
  readonly from: number;
  readonly to: number;
  readonly all: readonly Suggestion[];
}

const DEEPEST = 30;
const MOST_SCHEMAS = 60;
const MOST_SUGGESTED = 100;

/** What the schema suggests at this offset; nothing where it has nothing to say. */
export function suggest(schema: JsonNode, text: string, offset: number): Suggestions | undefined {
  const cursor = cursorAt(text, offset);
  if (cursor === undefined) return undefined;
  const root = schema;
  let here: readonly JsonNode[] = spread(root, [root]);
  for (const step of cursor.path)
    here = spread(
      root,
      here.flatMap((one) => inside(one, step)),
    );
  const all = cursor.at === 'name' ? names(root, here, cursor.names) : values(here);
  const typed = cursor.typed.toLowerCase();
  const fitting = all.filter(({ label }) => label.toLowerCase().includes(typed));
  fitting.sort(
    (a, b) =>
      Number(b.label.toLowerCase().startsWith(typed)) - Number(a.label.toLowerCase().startsWith(typed)),
  );
  if (
    cursor.at === 'value' &&
    fitting.some(({ text: whole }) => whole === text.slice(cursor.from, cursor.to))
  )
    return undefined;
  if (fitting.length === 0) return undefined;
  const isFollowed = cursor.at === 'name' && /^\s*:/.test(text.slice(cursor.to));
  return {
    from: cursor.from,
    to: cursor.to,
    all: fitting.slice(0, MOST_SUGGESTED).map((one) => (isFollowed ? nameAlone(one) : one)),
  };
}

function nameAlone(one: Suggestion): Suggestion {
  const text = stringToken(one.label);
  return { ...one, text, cursor: text.length };
}

/** The schemas with all that they refer to and are made of. */
function spread(root: JsonNode, schemas: readonly JsonNode[]): JsonNode[] {
  const found: JsonNode[] = [];
  const waiting = schemas.map((schema) => ({ schema, depth: 0 }));
  for (
    let next = waiting.shift();
    next !== undefined && found.length < MOST_SCHEMAS;
    next = waiting.shift()
  ) {
    const { schema, depth } = next;
    if (schema.kind !== 'object' || found.includes(schema) || depth > DEEPEST) continue;
    found.push(schema);
    const ref = getString(schema, '$ref');
    const target = ref === undefined ? undefined : lookUp(root, ref);
    const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => {
      const list = get(schema, key);
      return list?.kind === 'array' ? list.items : [];
    });
    const branches = ['then', 'else'].flatMap((key) => get(schema, key) ?? []);
    const dependent = ['dependentSchemas', 'dependencies'].flatMap((key) => {
      const list = get(schema, key);
      return list?.kind === 'object' ? list.members.map(({ value }) => value) : [];
    });
    for (const part of [...(target === undefined ? [] : [target]), ...parts, ...branches, ...dependent]) {
      waiting.push({ schema: part, depth: depth + 1 });
    }
  }
  return found;
}

function inside(schema: JsonNode, step: string | number): JsonNode[] {
  if (typeof step === 'number') {
    const { prefix, rest } = placesOf(schema);
    const item = prefix[step] ?? rest;
    return item === undefined ? [] : [item];
  }
  const named = get(get(schema, 'properties'), step);
  if (named !== undefined) return [named];
  const patterns = get(schema, 'patternProperties');
  const others = get(schema, 'additionalProperties');
  return [
    ...(patterns?.kind === 'object' ? patterns.members.map(({ value }) => value) : []),
    ...(others === undefined ? [] : [others]),
  ];
}

function names(root: JsonNode, schemas: readonly JsonNode[], taken: readonly string[]): Suggestion[] {
  const required = new Set(schemas.flatMap((schema) => namesIn(get(schema, 'required'))));
  const found = new Map<string, Suggestion>();
  for (const schema of schemas) {
    const properties = get(schema, 'properties');
    if (properties?.kind !== 'object') continue;
    for (const { key, value } of properties.members) {
      if (taken.includes(key) || found.has(key) || (value.kind === 'boolean' && !value.value)) continue;
      const start = `${stringToken(key)}: `;
      const whole = spread(root, [value]);
      const { text, cursor } = begun(whole);
      const detail = [
        whole.map(typeOf).find((type) => type !== undefined) ?? '',
        required.has(key) ? 'required' : '',
        whole.map((one) => getString(one, 'title') ?? getString(one, 'description')).find(Boolean) ?? '',
      ];
      found.set(key, {
        label: key,
        detail: detail.filter((part) => part !== '').join(' · '),
        text: start + text,
        cursor: start.length + cursor,
      });
    }
  }
  return [...found.values()].sort((a, b) => Number(required.has(b.label)) - Number(required.has(a.label)));
}

/** The beginning of a value of this schema, and where the cursor goes in it. */
function begun(schemas: readonly JsonNode[]): { text: string; cursor: number } {
  for (const schema of schemas) {
    const fixed = get(schema, 'const') ?? get(schema, 'default');
    if (fixed !== undefined) {
      const text = compact(fixed);
      return { text, cursor: text.length };
    }
    switch (typeOf(schema) ?? '') {
      case 'string':
        return { text: '""', cursor: 1 };
      case 'object':
        return { text: '{}', cursor: 1 };
      case 'array':
        return { text: '[]', cursor: 1 };
    }
  }
  return { text: '', cursor: 0 };
}

function typeOf(schema: JsonNode): string | undefined {
  const type = get(schema, 'type');
  if (type?.kind === 'string') return type.value;
  if (type?.kind === 'array')
    return type.items.flatMap((one) => (one.kind === 'string' ? [one.value] : [])).join(' or ');
  if (get(schema, 'properties') !== undefined) return 'object';
  if (get(schema, 'items') !== undefined || get(schema, 'prefixItems') !== undefined) return 'array';
  if (get(schema, 'enum')?.kind === 'array') return 'one of some';
  return undefined;
}

function values(schemas: readonly JsonNode[]): Suggestion[] {
  const found = new Map<string, Suggestion>();
  const add = (value: JsonNode, detail: string): void => {
    const text = compact(value);
    const label = value.kind === 'string' ? value.value : text;
    if (!found.has(text)) found.set(text, { label, detail, text, cursor: text.length });
  };
  for (const schema of schemas) {
    const fixed = get(schema, 'const');
    if (fixed !== undefined) add(fixed, getString(schema, 'title') ?? '');
    const list = get(schema, 'enum');
    if (list?.kind === 'array') for (const one of list.items) add(one, '');
    const fallback = get(schema, 'default');
    if (fallback !== undefined) add(fallback, 'default');
    const examples = get(schema, 'examples');
    if (examples?.kind === 'array') for (const one of examples.items) add(one, 'example');
    const type = get(schema, 'type');
    const types = type?.kind === 'array' ? type.items : type === undefined ? [] : [type];
    for (const one of types) {
      if (one.kind !== 'string') continue;
      if (one.value === 'boolean') for (const word of ['true', 'false']) addText(found, word);
      if (one.value === 'null') addText(found, 'null');
    }
  }
  return [...found.values()];
}

function addText(found: Map<string, Suggestion>, text: string): void {
  if (!found.has(text)) found.set(text, { label: text, detail: '', text, cursor: text.length });
}

/** The same, from a schema's text. A schema that is none suggests nothing. */
export function suggester(schema: string): (text: string, offset: number) => Suggestions | undefined {
  const reading = readJson(schema);
  return (text, offset) => (reading.ok ? suggest(reading.node, text, offset) : undefined);
}
