/** Which keywords of a schema mean something here: to the form, or to the validator that checks its answer. */

import { CONDITIONS } from './gather';
import type { JsonNode } from './json';

const KNOWN = new Set([
  // 2020-12: core, applicators, validation, annotations, content.
  ...[
    '$schema',
    '$id',
    '$ref',
    '$anchor',
    '$dynamicRef',
    '$dynamicAnchor',
    '$vocabulary',
    '$comment',
    '$defs',
  ],
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'prefixItems', 'items'],
  ...['contains', 'properties', 'patternProperties', 'additionalProperties', 'propertyNames'],
  ...[
    'unevaluatedItems',
    'unevaluatedProperties',
    'type',
    'const',
    'enum',
    'multipleOf',
    'maximum',
    'minimum',
  ],
  ...['exclusiveMaximum', 'exclusiveMinimum', 'maxLength', 'minLength', 'pattern', 'maxItems', 'minItems'],
  ...['uniqueItems', 'maxContains', 'minContains', 'maxProperties', 'minProperties', 'required'],
  ...[
    'dependentRequired',
    'title',
    'description',
    'default',
    'deprecated',
    'readOnly',
    'writeOnly',
    'examples',
  ],
  ...['format', 'contentEncoding', 'contentMediaType', 'contentSchema'],
  // Earlier drafts.
  ...['definitions', 'dependencies', 'additionalItems', 'id', '$recursiveRef', '$recursiveAnchor'],
  // The protocol's own.
  ...['enumNames', 'x-mcp-header'],
  CONDITIONS,
]);

/** The names of the keywords that nothing here understands, in their order, each once. */
export function unknownKeywords(schema: JsonNode | undefined): readonly string[] {
  if (schema?.kind !== 'object') return [];
  return [...new Set(schema.members.map(({ key }) => key).filter((key) => !KNOWN.has(key)))];
}
