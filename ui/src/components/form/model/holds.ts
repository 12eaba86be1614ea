/**
 * Whether a value fits a schema, as far as a form must know it while somebody types: which fields a condition shows, and
 * which names a pattern takes. What is sent is judged by the core's validator, never by this.
 */

import { get, makeString, type JsonNode } from './json';
import { follow } from './pointer';

/** Schemas and values that go deeper are not followed. */
const DEEPEST = 40;
/** A server writes the patterns: none may keep the page busy. */
const LONGEST_PATTERN = 200;
const LONGEST_MATCHED = 500;
const MOST_OPEN_ENDS = 3;

/** Whether `value` fits `schema`, whose references lead into `root`. What cannot be judged counts as fitting. */
export function holds(root: JsonNode, schema: JsonNode, value: JsonNode, depth = 0): boolean {
  if (depth > DEEPEST) return true;
  if (schema.kind === 'boolean') return schema.value;
  if (schema.kind !== 'object') return true;
  const judge = new Judge(root, schema, value, depth);
  return judge.whole() && judge.ofType();
}

class Judge {
  constructor(
    private readonly root: JsonNode,
    private readonly schema: JsonNode,
    private readonly value: JsonNode,
    private readonly depth: number,
  ) {}

  /** What is said of a value of any type. */
  whole(): boolean {
    const { schema, value } = this;
    const ref = get(schema, '$ref');
    if (ref?.kind === 'string') {
      const target = lookUp(this.root, ref.value);
      if (target !== undefined && !this.fits(target, value)) return false;
    }
    const type = get(schema, 'type');
    if (
      type !== undefined &&
      !(type.kind === 'array' ? type.items : [type]).some((name) => isOf(name, value))
    ) {
      return false;
    }
    const only = get(schema, 'const');
    if (only !== undefined && !equal(only, value)) return false;
    const values = get(schema, 'enum');
    if (values?.kind === 'array' && !values.items.some((one) => equal(one, value))) return false;
    const not = get(schema, 'not');
    if (not !== undefined && this.fits(not, value)) return false;
    const count = (key: string): readonly [number, number] | undefined => {
      const list = get(schema, key);
      if (list?.kind !== 'array') return undefined;
      return [list.items.filter((one) => this.fits(one, value)).length, list.items.length];
    };
    const all = count('allOf');
    const any = count('anyOf');
    const one = count('oneOf');
    if (all !== undefined && all[0] !== all[1]) return false;
    if (any?.[0] === 0) return false;
    if (one !== undefined && one[0] !== 1) return false;
    const condition = get(schema, 'if');
    if (condition === undefined) return true;
    const branch = get(schema, this.fits(condition, value) ? 'then' : 'else');
    return branch === undefined || this.fits(branch, value);
  }

  /** What is said of a value of its type. */
  ofType(): boolean {
    switch (this.value.kind) {
      case 'string':
        return this.text(this.value.value);
      case 'number':
        return this.number(Number(this.value.digits));
      case 'array':
        return this.list(this.value.items);
      case 'object':
        return this.object();
      case 'null':
      case 'boolean':
        return true;
    }
  }

  private fits(schema: JsonNode, value: JsonNode): boolean {
    return holds(this.root, schema, value, this.depth + 1);
  }

  private limit(key: string): number | undefined {
    const limit = get(this.schema, key);
    return limit?.kind === 'number' ? Number(limit.digits) : undefined;
  }

  private within(count: number, least: string, most: string): boolean {
    return count >= (this.limit(least) ?? 0) && count <= (this.limit(most) ?? Infinity);
  }

  private text(text: string): boolean {
    const pattern = get(this.schema, 'pattern');
    if (pattern?.kind === 'string' && matches(pattern.value, text) === false) return false;
    return this.within(Array.from(text).length, 'minLength', 'maxLength');
  }

  private number(number: number): boolean {
    const step = this.limit('multipleOf');
    return (
      number >= (this.limit('minimum') ?? -Infinity) &&
      number <= (this.limit('maximum') ?? Infinity) &&
      number > (this.limit('exclusiveMinimum') ?? -Infinity) &&
      number < (this.limit('exclusiveMaximum') ?? Infinity) &&
      (step === undefined || step <= 0 || Number.isInteger(Number((number / step).toPrecision(12))))
    );
  }

  private list(items: readonly JsonNode[]): boolean {
    if (!this.within(items.length, 'minItems', 'maxItems')) return false;
    const { prefix, rest } = placesOf(this.schema);
    const fits = items.every((item, index) => {
      const schema = prefix[index] ?? rest;
      return schema === undefined || this.fits(schema, item);
    });
    if (!fits) return false;
    const unique = get(this.schema, 'uniqueItems');
    if (unique?.kind === 'boolean' && unique.value) {
      if (items.some((item, index) => items.slice(0, index).some((other) => equal(item, other))))
        return false;
    }
    const contained = get(this.schema, 'contains');
    if (contained === undefined) return true;
    const count = items.filter((item) => this.fits(contained, item)).length;
    return count >= (this.limit('minContains') ?? 1) && count <= (this.limit('maxContains') ?? Infinity);
  }

  private object(): boolean {
    const { schema, value } = this;
    if (value.kind !== 'object') return true;
    const names = new Set(value.members.map(({ key }) => key));
    if (!this.within(names.size, 'minProperties', 'maxProperties')) return false;
    if (!namesIn(get(schema, 'required')).every((name) => names.has(name))) return false;
    const inner = get(schema, 'properties');
    const patterns = get(schema, 'patternProperties');
    const others = get(schema, 'additionalProperties');
    for (const { key, value: member } of value.members) {
      const named = get(inner, key);
      if (named !== undefined && !this.fits(named, member)) return false;
      const taken = (patterns?.kind === 'object' ? patterns.members : []).filter(
        (pattern) => matches(pattern.key, key) === true,
      );
      if (!taken.every((pattern) => this.fits(pattern.value, member))) return false;
      if (named === undefined && taken.length === 0 && others !== undefined && !this.fits(others, member)) {
        return false;
      }
    }
    const forNames = get(schema, 'propertyNames');
    if (forNames !== undefined && ![...names].every((name) => this.fits(forNames, makeString(name))))
      return false;
    return [...dependencies(schema)].every(({ name, then }) => !names.has(name) || this.fits(then, value));
  }
}

/** The members that wait for another: `dependentRequired`, `dependentSchemas`, and the older `dependencies`. */
export function* dependencies(schema: JsonNode): Generator<{ name: string; then: JsonNode }> {
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
    const list = get(schema, keyword);
    if (list?.kind !== 'object') continue;
    for (const { key, value } of list.members) {
      const isNames = value.kind === 'array';
      const required = { key: 'required', keyToken: '"required"', value };
      yield {
        name: key,
        then: isNames ? { kind: 'object', members: [required], start: value.start } : value,
      };
    }
  }
}

/** What a list has in its first places, and in all after them; the newer keywords and the older ones. */
export function placesOf(schema: JsonNode): { prefix: readonly JsonNode[]; rest: JsonNode | undefined } {
  const prefix = get(schema, 'prefixItems');
  const items = get(schema, 'items');
  if (prefix?.kind === 'array') return { prefix: prefix.items, rest: items };
  if (items?.kind === 'array') return { prefix: items.items, rest: get(schema, 'additionalItems') };
  return { prefix: [], rest: items };
}

/** The distinct names in a list of names. */
export function namesIn(node: JsonNode | undefined): string[] {
  if (node?.kind !== 'array') return [];
  return [...new Set(node.items.flatMap((item) => (item.kind === 'string' ? [item.value] : [])))];
}

/** What a reference within the document leads to. */
export function lookUp(root: JsonNode, ref: string): JsonNode | undefined {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  try {
    return follow(root, decodeURIComponent(ref.slice(1)));
  } catch {
    return undefined;
  }
}

/** Whether a text matches; undefined for a pattern that is none, or that could take long. */
export function matches(pattern: string, text: string): boolean | undefined {
  if (pattern.length > LONGEST_PATTERN || text.length > LONGEST_MATCHED) return undefined;
  const bare = pattern.replace(/\\[^1-9k]/g, 'x').replace(/\[[^\]]*\]/g, 'x');
  const openEnds = bare.match(/[*+]|\{\d*,\d*\}/g)?.length ?? 0;
  // A group that is repeated may be tried in ever more ways.
  if (/\)[*+{]|\\[1-9k]/.test(bare) || openEnds > MOST_OPEN_ENDS) return undefined;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return undefined;
  }
}

function isOf(name: JsonNode, value: JsonNode): boolean {
  if (name.kind !== 'string') return true;
  if (name.value === 'integer') return value.kind === 'number' && Number.isInteger(Number(value.digits));
  return name.value === value.kind;
}

/** Whether two values are the same JSON, whatever the order of their members and the digits of their numbers. */
export function equal(left: JsonNode, right: JsonNode): boolean {
  if (left.kind === 'number' && right.kind === 'number') {
    return left.digits === right.digits || Number(left.digits) === Number(right.digits);
  }
  if (left.kind === 'string' && right.kind === 'string') return left.value === right.value;
  if (left.kind === 'boolean' && right.kind === 'boolean') return left.value === right.value;
  if (left.kind === 'array' && right.kind === 'array') {
    return (
      left.items.length === right.items.length &&
      left.items.every((item, index) => {
        const other = right.items[index];
        return other !== undefined && equal(item, other);
      })
    );
  }
  if (left.kind === 'object' && right.kind === 'object') {
    return (
      left.members.length === right.members.length &&
      left.members.every(({ key, value }) => {
        const other = get(right, key);
        return other !== undefined && equal(value, other);
      })
    );
  }
  return left.kind === 'null' && right.kind === 'null';
}
