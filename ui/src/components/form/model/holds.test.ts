import { describe, expect, it } from 'vitest';
import { holds, matches } from './holds';
import { readJson, type JsonNode } from './json';

function node(value: unknown): JsonNode {
  const reading = readJson(JSON.stringify(value));
  if (!reading.ok) throw new Error(reading.problem.message);
  return reading.node;
}

describe('whether a value fits a schema', () => {
  it.each([
    [true, 1, true],
    [false, 1, false],
    [{ type: 'integer' }, 1, true],
    [{ type: 'integer' }, 1.5, false],
    [{ type: ['string', 'null'] }, null, true],
    [{ const: { a: 1, b: 2 } }, { b: 2, a: 1 }, true],
    [{ enum: [1, 'x'] }, '1', false],
    [{ not: { type: 'string' } }, 'x', false],
    [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, 3, false],
    [{ anyOf: [{ type: 'string' }, { minimum: 5 }] }, 4, false],
    [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, false],
    [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 1, true],
    [{ if: { type: 'number' }, then: { minimum: 1 }, else: { minLength: 2 } }, 'x', false],
    [{ exclusiveMinimum: 0, multipleOf: 0.1 }, 0.3, true],
    [{ multipleOf: 2 }, 3, false],
    [{ minLength: 2 }, '🍝', false],
    [{ pattern: '^a' }, 'ba', false],
    [{ items: { type: 'string' }, minItems: 1 }, [], false],
    [{ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, ['x', 1, 'y'], false],
    [{ items: [{ type: 'string' }], additionalItems: false }, ['x', 1], false],
    [{ contains: { const: 1 }, maxContains: 1 }, [1, 1], false],
    [{ uniqueItems: true }, [{ a: 1 }, { a: 1 }], false],
    [{ required: ['a'] }, {}, false],
    [{ properties: { a: { type: 'string' } } }, {}, true],
    [{ properties: { a: { type: 'string' } }, additionalProperties: false }, { b: 1 }, false],
    [{ patternProperties: { '^x': { type: 'number' } }, additionalProperties: false }, { x1: 2 }, true],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, false],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, false],
    [{ dependentSchemas: { a: { required: ['b'] } } }, { a: 1, b: 1 }, true],
    [{ dependencies: { a: ['b'] } }, { a: 1 }, false],
    [{ $ref: '#/$defs/S', $defs: { S: { type: 'string' } } }, 1, false],
    [{ $ref: '#/$defs/S', $defs: { S: { $ref: '#/$defs/S' } } }, 1, true],
    [{ required: ['a'] }, 'not an object', true],
  ])('%j and %j: %s', (schema, value, fits) => {
    expect(holds(node(schema), node(schema), node(value))).toBe(fits);
  });
});

describe('patterns', () => {
  it.each([
    ['^[a-z]+-\\d{2}$', 'ab-12', true],
    ['^(foo|bar)$', 'bar', true],
    ['^(foo)?bar', 'bar', true],
    ['^(a+)+$', 'aaaa', undefined],
    ['(.*)(.*)(.*)(.*)x', 'a', undefined],
    ['(a)\\1', 'aa', undefined],
    ['(', 'a', undefined],
  ])('%s of %s: %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });
});
