/**
 * Conditions: `if`/`then`/`else`, and members that wait for another, which say the same. What an object's members are is
 * laid out for each way in which the conditions may hold, so that a form only chooses what to show.
 */

import { CONDITIONS } from './gather';
import { namesIn } from './holds';
import { get, makeArray, makeObject, makeString, type JsonNode } from './json';
import { resolve } from './resolve';

/** More conditions than this are left to the validator. */
const MOST_CONDITIONS = 30;
const DEEPEST_CONDITION = 8;

/** A schema that joins the object's own while all that it needs is so. */
export interface Joining {
  readonly needs: readonly { readonly condition: number; readonly holds: boolean }[];
  readonly schema: JsonNode;
}

export interface Plan {
  /** Schemas that the object fits or does not. */
  readonly conditions: readonly JsonNode[];
  readonly joining: readonly Joining[];
}

/** Lays the gathered conditions of an object's schema out, those inside a branch too. */
export function planOf(root: JsonNode, schema: JsonNode, refs: readonly string[]): Plan {
  const conditions: JsonNode[] = [];
  const joining: Joining[] = [];

  const branch = (written: JsonNode, needs: Joining['needs'], depth: number): void => {
    const resolution = resolve(root, written, refs);
    if (!resolution.ok) return;
    const joined = resolution.schema;
    joining.push({ needs, schema: joined });
    if (depth >= DEEPEST_CONDITION) return;
    follow(joined, needs, depth + 1);
    for (const choice of choicesIn(joined)) {
      const condition = byNamed(choice, schema);
      if (condition === undefined || conditions.length >= MOST_CONDITIONS) continue;
      conditions.push(condition);
      branch(choice, [...needs, { condition: conditions.length - 1, holds: true }], depth + 1);
    }
  };

  const follow = (from: JsonNode, needs: Joining['needs'], depth: number): void => {
    const list = get(from, CONDITIONS);
    if (list?.kind !== 'array') return;
    for (const one of list.items) {
      const condition = get(one, 'if');
      if (condition === undefined || conditions.length >= MOST_CONDITIONS) continue;
      conditions.push(condition);
      const place = conditions.length - 1;
      const then = get(one, 'then');
      const otherwise = get(one, 'else');
      if (then !== undefined) branch(then, [...needs, { condition: place, holds: true }], depth);
      if (otherwise !== undefined) branch(otherwise, [...needs, { condition: place, holds: false }], depth);
    }
  };

  follow(schema, [], 0);
  return { conditions, joining };
}

/** The variants of a branch, as in `dependencies: {plan: {oneOf: […]}}`. */
function choicesIn(branch: JsonNode): readonly JsonNode[] {
  const list = get(branch, 'oneOf') ?? get(branch, 'anyOf');
  return list?.kind === 'array' ? list.items : [];
}

/** What such a variant says of the members that the object has anyway: it is chosen by their values. */
function byNamed(variant: JsonNode, schema: JsonNode): JsonNode | undefined {
  const inner = get(variant, 'properties');
  const outer = get(schema, 'properties');
  if (inner?.kind !== 'object') return undefined;
  const named = inner.members.filter(({ key }) => get(outer, key) !== undefined);
  if (named.length === 0) return undefined;
  return makeObject([
    ['properties', { kind: 'object', members: named, start: 0 }],
    ['required', makeArray(named.map(({ key }) => makeString(key)))],
  ]);
}

/** What a member is under some of the conditions. */
export interface Face {
  readonly key: string;
  /** What says what it is: the branches that join first, the object's own last. Empty for a name alone. */
  readonly schemas: readonly JsonNode[];
  readonly required: boolean;
  /** Undefined when it is always so. */
  readonly shown: { readonly conditions: readonly number[]; readonly masks: readonly number[] } | undefined;
}

/** With more conditions for one member, no two are looked at together. */
const MOST_TOGETHER = 5;

/** What an object's members are, each under each of its conditions, in the order of their names in the schema. */
export function facesOf(schema: JsonNode, plan: Plan): Face[] {
  const own = get(schema, 'properties');
  const required = namesIn(get(schema, 'required'));
  const keys = new Set<string>(own?.kind === 'object' ? own.members.map(({ key }) => key) : []);
  for (const name of required) keys.add(name);
  for (const { schema: joined } of plan.joining) {
    const inner = get(joined, 'properties');
    if (inner?.kind === 'object') for (const { key } of inner.members) keys.add(key);
    for (const name of namesIn(get(joined, 'required'))) keys.add(name);
  }
  return [...keys].flatMap((key) => facesOfMember(key, get(own, key), required.includes(key), plan));
}

function facesOfMember(key: string, own: JsonNode | undefined, required: boolean, plan: Plan): Face[] {
  const about = plan.joining.filter(
    ({ schema }) =>
      get(get(schema, 'properties'), key) !== undefined || namesIn(get(schema, 'required')).includes(key),
  );
  const schemas = own === undefined ? [] : [own];
  if (about.length === 0) return [{ key, schemas, required, shown: undefined }];
  const conditions = [...new Set(about.flatMap(({ needs }) => needs.map(({ condition }) => condition)))];
  const found = new Map<string, { schemas: JsonNode[]; required: boolean; masks: number[] }>();
  for (const mask of masksFor(conditions.length)) {
    const active = about.filter(({ needs }) =>
      needs.every(({ condition, holds }) => ((mask >> conditions.indexOf(condition)) & 1) === Number(holds)),
    );
    const inner = active
      .filter((joining) => own === undefined || !isChosenBy(joining, key, plan))
      .flatMap(({ schema }) => get(get(schema, 'properties'), key) ?? []);
    const isRequired =
      required || active.some(({ schema }) => namesIn(get(schema, 'required')).includes(key));
    const all = [...inner, ...schemas];
    if (all.some((one) => one.kind === 'boolean' && !one.value)) continue;
    if (all.length === 0 && !isRequired) continue;
    const name = `${inner.map((one) => about.findIndex(({ schema }) => get(get(schema, 'properties'), key) === one)).join()} ${isRequired}`;
    const face = found.get(name);
    if (face === undefined) found.set(name, { schemas: all, required: isRequired, masks: [mask] });
    else face.masks.push(mask);
  }
  return [...found.values()].map((face) => ({
    key,
    schemas: face.schemas,
    required: face.required,
    shown: { conditions, masks: face.masks },
  }));
}

/** A member whose value chooses a branch is not narrowed by it: nobody could choose another one any more. */
function isChosenBy({ needs }: Joining, key: string, plan: Plan): boolean {
  return needs.some(({ condition }) => get(get(plan.conditions[condition], 'properties'), key) !== undefined);
}

function masksFor(count: number): number[] {
  if (count <= MOST_TOGETHER) return Array.from({ length: 2 ** count }, (_, mask) => mask);
  return [0, ...Array.from({ length: count }, (_, bit) => 2 ** bit)];
}

/** Whether a face is the one that is shown while these conditions hold. */
export function isShown(shown: Face['shown'], held: readonly boolean[]): boolean {
  if (shown === undefined) return true;
  let mask = 0;
  for (const [bit, condition] of shown.conditions.entries()) {
    if (held[condition] !== true) continue;
    mask |= 1 << bit;
    if (shown.conditions.length > MOST_TOGETHER) break;
  }
  return shown.masks.includes(mask);
}
