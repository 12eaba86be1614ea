/** Unions with `null`: drawn as the real control, with `null` offered beside it. */

import { get, type JsonNode } from './json';
import { join, override, resolve, without } from './resolve';

export interface WithoutNull {
  readonly schema: JsonNode;
  readonly nullable: boolean;
  /** `null` is the only value there is. */
  readonly onlyNull: boolean;
  /** What is left is a schema that this one stands in. */
  readonly isAgain?: boolean;
  /** The references followed so far. */
  readonly refs: readonly string[];
}

/** The schema without its `null`: unions of something and `null` are drawn as that something. */
export function withoutNull(root: JsonNode, schema: JsonNode, refs: readonly string[]): WithoutNull {
  const type = get(schema, 'type');
  if (type?.kind === 'array' && type.items.some(isNullName)) {
    const rest = type.items.filter((item) => !isNullName(item));
    const [only] = rest;
    if (only === undefined) return { schema, nullable: false, onlyNull: true, refs };
    const bare = override(schema, [['type', rest.length === 1 ? only : { ...type, items: rest }]]);
    return { schema: bare, nullable: get(schema, 'enum') === undefined, onlyNull: false, refs };
  }
  for (const key of ['anyOf', 'oneOf']) {
    const list = get(schema, key);
    if (list?.kind !== 'array') continue;
    const rest = list.items.filter((branch) => !isNullSchema(branch));
    if (rest.length === list.items.length) continue;
    const [only] = rest;
    if (only === undefined) return { schema, nullable: false, onlyNull: true, refs };
    if (rest.length > 1) {
      return {
        schema: override(schema, [[key, { ...list, items: rest }]]),
        nullable: true,
        onlyNull: false,
        refs,
      };
    }
    const resolution = resolve(root, only, refs);
    if (!resolution.ok && resolution.isAgain === true) {
      const words = ['title', 'description'].flatMap((word) => {
        const said = get(schema, word);
        return said === undefined ? [] : [[word, said] as const];
      });
      return { schema: override(only, words), nullable: true, onlyNull: false, isAgain: true, refs };
    }
    const joined = resolution.ok ? join(without(schema, key), resolution.schema) : undefined;
    if (joined === undefined) return { schema, nullable: true, onlyNull: false, refs };
    const again = withoutNull(root, joined, resolution.ok ? resolution.refs : refs);
    return { ...again, nullable: true };
  }
  return { schema, nullable: false, onlyNull: false, refs };
}

function isNullName(node: JsonNode): boolean {
  return node.kind === 'string' && node.value === 'null';
}

function isNullSchema(schema: JsonNode): boolean {
  const type = get(schema, 'type');
  if (type !== undefined && isNullName(type)) return true;
  if (type?.kind === 'array' && type.items.length === 1 && type.items.every(isNullName)) return true;
  if (get(schema, 'const')?.kind === 'null') return true;
  const values = get(schema, 'enum');
  return values?.kind === 'array' && values.items.length === 1 && values.items[0]?.kind === 'null';
}
