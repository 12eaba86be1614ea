/** What is drawn of a schema. */

import { describe, expect, it } from 'vitest';
import type { TextAnswer } from './answer';
import * as edit from './edit';
import { Form } from './form-driver';
import { readSchema } from './schema';
import { open } from './whole';

describe('choices', () => {
  it('keep the types of their values', () => {
    const form = new Form(
      '{"type":"object","properties":{"v":{"enum":["1",1,1.10,true,null,{"a":1},12345678901234567890]}}}',
    );
    expect(form.labels('v')).toEqual(['"1"', '1', '1.10', 'true', 'null', '{"a":1}', '12345678901234567890']);
    const sent = form.labels('v').map((_, index) => {
      edit.pickOne(form.choice('v'), index);
      return form.sent();
    });
    expect(sent).toEqual([
      '{"v":"1"}',
      '{"v":1}',
      '{"v":1.10}',
      '{"v":true}',
      '{"v":null}',
      '{"v":{"a":1}}',
      '{"v":12345678901234567890}',
    ]);
  });

  it('numeric const and oneOf with titles', () => {
    const form = Form.of({
      level: {
        type: 'integer',
        oneOf: [
          { const: 1, title: 'low' },
          { const: 2, title: 'high' },
        ],
      },
    });
    expect(form.labels('level')).toEqual(['low', 'high']);
    edit.pickOne(form.choice('level'), 1);
    expect(form.sent()).toBe('{"level":2}');
  });

  it('keep duplicates apart', () => {
    const form = Form.of({
      v: {
        anyOf: [{ const: 'a', title: 'same' }, { const: 'b', title: 'same' }, { const: 'c' }, { const: 'c' }],
      },
    });
    expect(form.labels('v')).toEqual(['same (a)', 'same (b)', 'c', 'c (2)']);
    edit.pickOne(form.choice('v'), 1);
    expect(form.sent()).toBe('{"v":"b"}');
  });

  it('show the names of the older enumNames', () => {
    const form = Form.of({ v: { type: 'string', enum: ['a', 'b'], enumNames: ['Alpha', 'Beta'] } });
    expect(form.labels('v')).toEqual(['Alpha', 'Beta']);
  });

  it('show white space and emptiness', () => {
    expect(Form.of({ v: { enum: ['', ' ', 'x'] } }).labels('v')).toEqual(['""', '" "', 'x']);
  });

  it('several of titled options', () => {
    const form = Form.of({
      v: {
        type: 'array',
        minItems: 1,
        maxItems: 2,
        items: {
          anyOf: [
            { const: '#f00', title: 'Red' },
            { const: '#0f0', title: 'Green' },
          ],
        },
        default: ['#0f0'],
      },
    });
    expect(form.control('v').kind).toBe('multiple');
    expect(form.field('v').hints).toEqual(['choose 1 to 2']);
    edit.togglePick(form.multiple('v'), 0);
    expect(form.sent()).toBe('{"v":["#0f0","#f00"]}');
  });
});

describe('unions', () => {
  const shapes = {
    anyOf: [
      {
        type: 'object',
        title: 'Circle',
        properties: { kind: { const: 'circle' }, r: { type: 'number' } },
        required: ['kind', 'r'],
      },
      {
        type: 'object',
        properties: { kind: { const: 'square' }, side: { type: 'number' } },
        required: ['kind'],
      },
    ],
  };

  it('of objects are variants, with a value for each kept while choosing', () => {
    const form = Form.of({ shape: shapes }, 'shape');
    const control = form.control('shape');
    expect(control.kind === 'variants' && control.variants.map((variant) => variant.label)).toEqual([
      'Circle',
      'kind: square',
    ]);
    expect(form.problems()).toEqual([{ pointer: '/shape/r', message: 'Enter a number.' }]);
    edit.pickOne(form.variants('shape'), 1);
    expect(form.sent()).toBe('{"shape":{"kind":"square"}}');
  });

  it('find the variant that a value fits', () => {
    const schema = { type: 'object', properties: { shape: shapes } };
    const form = new Form(schema, '{"shape":{"kind":"square","side":2.50}}');
    expect(form.variants('shape').pick).toBe(1);
    expect(form.sent()).toBe('{"shape":{"kind":"square","side":2.50}}');
  });

  it('of types are variants', () => {
    const form = Form.of({ v: { type: ['string', 'integer'] } });
    const variants = form.variants('v');
    edit.pickOne(variants, 1);
    edit.typeText(variants.inner[1] as TextAnswer, '5');
    expect(form.sent()).toBe('{"v":5}');
    edit.pickOne(variants, 0);
    edit.typeText(variants.inner[0] as TextAnswer, '5');
    expect(form.sent()).toBe('{"v":"5"}');
  });

  it('that only say what is required leave the fields as they are', () => {
    const form = new Form({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    });
    expect(form.type('b', 'x').sent()).toBe('{"b":"x"}');
  });

  it('the whole may be a union of objects', () => {
    const form = new Form({ type: 'object', ...shapes });
    expect(form.root.control.kind).toBe('variants');
  });
});

describe('references', () => {
  it('to definitions are followed; nearer words win', () => {
    const form = new Form({
      type: 'object',
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      properties: { at: { $ref: '#/$defs/Point~0', description: 'Where' } },
      $defs: { 'Point~': { type: 'object', description: 'A point', properties: { x: { type: 'number' } } } },
    });
    expect(form.field('at')).toMatchObject({ description: 'Where', control: { kind: 'object' } });
  });

  it('in a circle are drawn when they are opened', () => {
    const form = new Form({
      type: 'object',
      properties: { tree: { $ref: '#/$defs/Node' } },
      $defs: {
        Node: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            children: { type: 'array', items: { $ref: '#/$defs/Node' } },
            next: { anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }] },
          },
        },
      },
    });
    const tree = form.control('tree');
    const fields = tree.kind === 'object' ? tree.fields : [];
    expect(fields[1]?.control).toMatchObject({ kind: 'list', item: { control: { kind: 'again' } } });
    expect(fields[2]).toMatchObject({ nullable: true, control: { kind: 'again' } });
  });

  it.each([
    [{ $ref: '#/$defs/None' }, '“#/$defs/None” is not in this schema.'],
    [{ $ref: 'https://example.com/x.json' }, '“https://example.com/x.json” is not in this schema.'],
    [{ $ref: 5 }, '“$ref” is not a string.'],
    [{ $ref: '#/properties/v' }, 'It contains itself (#/properties/v).'],
  ])('%j is JSON, with the reason', (schema, reason) => {
    expect(Form.of({ v: schema }).control('v')).toMatchObject({ kind: 'json', reason });
  });

  it('used twice side by side are no circle', () => {
    const form = new Form({
      type: 'object',
      properties: { a: { $ref: '#/$defs/T' }, b: { allOf: [{ $ref: '#/$defs/T' }], default: 'x' } },
      $defs: { T: { type: 'string' } },
    });
    expect(form.control('a').kind).toBe('text');
    expect(form.control('b').kind).toBe('text');
    expect(form.sent()).toBe('{"b":"x"}');
  });

  it('allOf joins objects', () => {
    const form = new Form({
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: { type: 'integer' } }, required: ['b'] },
      ],
    });
    expect(form.type('b', '1').sent()).toBe('{"a":"","b":1}');
  });

  it('that blow up are cut', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, level) => [
        `L${level}`,
        {
          type: 'object',
          properties: { a: { $ref: `#/$defs/L${level + 1}` }, b: { $ref: `#/$defs/L${level + 1}` } },
        },
      ]),
    );
    const start = performance.now();
    readSchema(JSON.stringify({ type: 'object', properties: { v: { $ref: '#/$defs/L0' } }, $defs }));
    expect(performance.now() - start).toBeLessThan(500);
  });
});

describe('schemas that are no schemas', () => {
  it.each([
    ['true', 'The schema is “true”: it accepts anything and describes nothing.'],
    ['false', 'The schema is “false”: it accepts nothing at all. You can send JSON all the same.'],
    ['"string"', 'The schema is a string; a JSON Schema is an object.'],
    ['null', 'The schema is null; a JSON Schema is an object.'],
    ['[]', 'The schema is a list; a JSON Schema is an object.'],
    ['{', 'The schema is not JSON. Line 1, column 1: This object is not closed: “}” is missing.'],
    [
      '{"type":"object","properties":[]}',
      "The schema's “properties” is a list; it must be an object of schemas.",
    ],
    ['{"type":5}', "The schema's “type” is the number 5; it must be a name or a list of names."],
    ['{"type":"string"}', 'The schema describes a value of type “string”, but the whole must be an object.'],
    ['{}', 'The schema does not say what type it has.'],
    ['{"type":"objekt"}', '“objekt” is not a type that JSON Schema knows.'],
    ['{"type":"object","additionalProperties":{}}', 'Its names are free: write an object.'],
  ])('%s', (schema, reason) => {
    expect(readSchema(schema)).toEqual({ kind: 'json', reason });
    expect(open(schema, undefined)).toMatchObject({ view: 'json', text: '{}' });
  });

  it.each([
    [true],
    [false],
    ['text'],
    [null],
    [{ properties: [] }],
    [{ enum: 'x' }],
    [{ enum: [] }],
    [{ anyOf: 'x' }],
    [{ anyOf: [] }],
    [{ type: [] }],
    [{ type: 'strnig' }],
    [{ type: 5 }],
  ])('a property with the schema %j is a JSON field, and the others stay', (schema) => {
    const form = Form.of({ odd: schema, fine: { type: 'string' } });
    expect(form.control('odd').kind).toBe('json');
    expect(form.type('fine', 'x').sent()).toBe('{"fine":"x"}');
  });

  it('a schema with thousands of fields is JSON as a whole', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`f${index}`, { type: 'string' }]),
    );
    expect(readSchema(JSON.stringify({ type: 'object', properties }))).toEqual({
      kind: 'json',
      reason: 'The schema has too many fields to draw them all.',
    });
  });
});

describe('hints', () => {
  it.each([
    [{ type: 'integer', minimum: 1, maximum: 12 }, ['1 to 12']],
    [{ type: 'number', exclusiveMinimum: 0, multipleOf: 0.5 }, ['more than 0', 'a multiple of 0.5']],
    [{ type: 'string', minLength: 3, maxLength: 20 }, ['3 to 20 characters']],
    [{ type: 'string', minLength: 1 }, ['not empty']],
    [{ type: 'string', pattern: '^a$' }, ['matches ^a$']],
    [{ type: 'string', format: 'date' }, ['a date, like 2026-12-31']],
    [{ type: 'string', examples: ['Rome', 'Paris'] }, ['for example Rome, Paris']],
    [
      { type: 'array', items: { type: 'string' }, maxItems: 3, uniqueItems: true },
      ['at most 3 items', 'each only once'],
    ],
    [{ type: 'array', items: { enum: ['a', 'b'] }, maxItems: 2 }, ['choose up to 2']],
  ])('%j', (schema, hints) => {
    expect(Form.of({ v: schema }).field('v').hints).toEqual(hints);
  });
});
