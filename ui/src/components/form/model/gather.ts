/** Conditions of a schema in one list, whichever keywords they are written with, so that schemas can be joined. */

import { dependencies } from './holds';
import { get, makeArray, makeObject, makeString, type JsonNode } from './json';

/** The name of that list: none that a schema has. */
export const CONDITIONS = '\u0000conditions';

const GATHERED = new Set([
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  CONDITIONS,
]);

/** The schema with all its conditions in one list. */
export function gathered(schema: JsonNode): JsonNode {
  if (schema.kind !== 'object') return schema;
  const list: JsonNode[] = [];
  const own = get(schema, CONDITIONS);
  if (own?.kind === 'array') list.push(...own.items);
  const condition = get(schema, 'if');
  const branches = ['then', 'else'].flatMap((key) => {
    const branch = get(schema, key);
    return branch === undefined ? [] : [[key, branch] as const];
  });
  if (condition !== undefined && branches.length > 0) list.push(makeObject([['if', condition], ...branches]));
  for (const { name, then } of dependencies(schema)) {
    const given = makeObject([['required', makeArray([makeString(name)])]]);
    list.push(
      makeObject([
        ['if', given],
        ['then', then],
      ]),
    );
  }
  if (list.length === 0) return schema;
  const rest = schema.members.filter(({ key }) => !GATHERED.has(key));
  return { ...schema, members: [...rest, ...makeObject([[CONDITIONS, makeArray(list)]]).members] };
}
