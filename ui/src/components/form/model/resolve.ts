/** References and `allOf`: from a schema as written to one that can be drawn. Only the document itself is read. */

import { CONDITIONS, gathered } from './gather';
import { lookUp } from './holds';
import { get, makeArray, makeObject, sameJson, type JsonNode, type JsonObject } from './json';

export type Resolution =
  | { readonly ok: true; readonly schema: JsonNode; readonly refs: readonly string[] }
  /** `isAgain`: it is a schema that this one stands in, and can be drawn inside itself for as long as somebody opens it. */
  | { readonly ok: false; readonly reason: string; readonly isAgain?: boolean };

/** How many references and `allOf` levels are followed for one field. */
const LONGEST_CHAIN = 50;
/** And how many for one field in all: where each part has parts of its own, they double with every level. */
const MOST_STEPS = 400;

/** Members that describe and never restrict: what stands nearer wins. */
const ANNOTATIONS = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
  '$schema',
  '$id',
  '$anchor',
  '$defs',
  'definitions',
]);

/**
 * Follows `$ref` and joins `allOf` until the schema says itself what it is. `refs` are the references that led
 * here from the root: meeting one again is a cycle.
 */
export function resolve(
  root: JsonNode,
  schema: JsonNode,
  refs: readonly string[],
  work = { left: MOST_STEPS },
  outer = refs,
): Resolution {
  let current = gathered(schema);
  let seen = refs;
  for (let step = 0; step < LONGEST_CHAIN && work.left > 0; step += 1) {
    work.left -= 1;
    const ref = get(current, '$ref');
    const all = get(current, 'allOf');
    if (ref !== undefined) {
      if (ref.kind !== 'string') return { ok: false, reason: '“$ref” is not a string.' };
      if (seen.includes(ref.value)) {
        const isAgain = outer.includes(ref.value);
        return { ok: false, reason: `It contains itself (${ref.value}).`, isAgain };
      }
      const target = lookUp(root, ref.value);
      if (target === undefined) return { ok: false, reason: `“${ref.value}” is not in this schema.` };
      seen = [...seen, ref.value];
      const joined = join(without(current, '$ref'), gathered(target));
      if (joined === undefined)
        return { ok: false, reason: `“$ref” is combined in a way that a form cannot show.` };
      current = joined;
    } else if (all?.kind === 'array') {
      let joined: JsonNode | undefined = without(current, 'allOf');
      const before = seen;
      for (const part of all.items) {
        const resolved = resolve(root, part, before, work, outer);
        if (!resolved.ok) return resolved;
        seen = [...new Set([...seen, ...resolved.refs])];
        joined = joined && join(joined, resolved.schema);
      }
      if (joined === undefined)
        return { ok: false, reason: '“allOf” is combined in a way that a form cannot show.' };
      current = joined;
    } else {
      return { ok: true, schema: current, refs: seen };
    }
  }
  return { ok: false, reason: 'Its references go on and on.' };
}

export function without(schema: JsonNode, key: string): JsonNode {
  if (schema.kind !== 'object') return schema;
  return { ...schema, members: schema.members.filter((member) => member.key !== key) };
}

/** The schema with these members in place of its own of the same name. */
export function override(schema: JsonNode, members: readonly (readonly [string, JsonNode])[]): JsonObject {
  const replaced = new Set(members.map(([key]) => key));
  const kept = schema.kind === 'object' ? schema.members.filter((member) => !replaced.has(member.key)) : [];
  return { kind: 'object', members: [...kept, ...makeObject(members).members], start: schema.start };
}

/** Both schemas at once, where one form can show both; `near` names and describes it. */
export function join(near: JsonNode, far: JsonNode): JsonNode | undefined {
  if (far.kind === 'boolean') return far.value ? near : undefined;
  if (near.kind === 'boolean') return near.value ? far : undefined;
  if (near.kind !== 'object' || far.kind !== 'object') return undefined;
  let joined: JsonObject = near;
  for (const { key, value } of far.members) {
    const own = get(joined, key);
    const together = own === undefined ? value : joinMember(key, own, value);
    if (together === undefined) return undefined;
    joined = own === together ? joined : override(joined, [[key, together]]);
  }
  return joined;
}

function joinMember(key: string, near: JsonNode, far: JsonNode): JsonNode | undefined {
  if (ANNOTATIONS.has(key) || sameJson(near, far)) return near;
  switch (key) {
    case 'properties':
      return joinProperties(near, far);
    case 'required':
      return near.kind === 'array' && far.kind === 'array' ? makeArray([...near.items, ...far.items]) : near;
    case 'type':
      return joinTypes(near, far);
    case CONDITIONS:
      return near.kind === 'array' && far.kind === 'array' ? makeArray([...near.items, ...far.items]) : near;
    case 'enum':
      return joinValues(near, far);
    case 'const':
    case 'anyOf':
    case 'oneOf':
    case 'items':
    case 'prefixItems':
    case '$ref':
    case 'allOf':
      return undefined;
    default:
      // Limits: the nearer one is shown, the core checks both.
      return near;
  }
}

/** The values that both allow. */
function joinValues(near: JsonNode, far: JsonNode): JsonNode | undefined {
  if (near.kind !== 'array' || far.kind !== 'array') return undefined;
  const both = near.items.filter((value) => far.items.some((other) => sameJson(value, other)));
  return both.length === 0 ? undefined : makeArray(both);
}

function joinProperties(near: JsonNode, far: JsonNode): JsonNode | undefined {
  if (near.kind !== 'object' || far.kind !== 'object') return undefined;
  let joined: JsonObject = near;
  for (const { key, value } of far.members) {
    const own = get(joined, key);
    if (own === undefined)
      joined = { ...joined, members: [...joined.members, ...makeObject([[key, value]]).members] };
    else if (!sameJson(own, value)) {
      const both = makeObject([['allOf', makeArray([own, value])]]);
      joined = {
        ...joined,
        members: joined.members.map((member) => (member.key === key ? { ...member, value: both } : member)),
      };
    }
  }
  return joined;
}

function joinTypes(near: JsonNode, far: JsonNode): JsonNode | undefined {
  const names = (node: JsonNode): string[] =>
    (node.kind === 'array' ? node.items : [node]).flatMap((item) =>
      item.kind === 'string' ? [item.value] : [],
    );
  const allowed = names(far);
  const common = names(near).filter(
    (name) => allowed.includes(name) || (name === 'integer' && allowed.includes('number')),
  );
  if (names(near).includes('number') && allowed.includes('integer')) common.push('integer');
  if (common.length === 0) return undefined;
  const tokens: JsonNode[] = [...new Set(common)].map((name) => ({
    kind: 'string',
    value: name,
    token: JSON.stringify(name),
    start: 0,
  }));
  return tokens.length === 1 ? tokens[0] : makeArray(tokens);
}
