/** Forms as a person meets them: a schema, some answers, and the JSON that is sent. */

import { describe, expect, it } from 'vitest';
import type {
  Answer,
  ChoiceAnswer,
  JsonAnswer,
  ListAnswer,
  MultipleAnswer,
  ObjectAnswer,
  TextAnswer,
} from './answer';
import { untouched, type VariantsAnswer } from './answer';
import * as edit from './edit';
import type { Control, Field } from './field';
import { readSchema } from './schema';
import { fieldsFrom, open, textFrom } from './whole';
import { write, type FieldProblem } from './write';

/** An open form, driven by the names of its fields. */
class Form {
  readonly root: Field;
  answer: Answer;

  constructor(schema: object | string, initial?: string) {
    const opening = open(typeof schema === 'string' ? schema : JSON.stringify(schema), initial);
    if (opening.shape.kind !== 'form' || opening.answer === undefined) throw new Error('no form');
    this.root = opening.shape.root;
    this.answer = opening.answer;
  }

  static of(properties: Record<string, unknown>, ...required: string[]): Form {
    return new Form({ type: 'object', properties, required });
  }

  private at(name: string): { field: Field; answer: Answer } {
    if (this.root.control.kind !== 'object' || this.answer.kind !== 'object') throw new Error('no object');
    const index = this.root.control.fields.findIndex((field) => field.key === name);
    const field = this.root.control.fields[index];
    const answer = this.answer.members[index];
    if (field === undefined || answer === undefined) throw new Error(`no field ${name}`);
    return { field, answer };
  }

  field(name: string): Field {
    return this.at(name).field;
  }

  control(name: string): Control {
    return this.at(name).field.control;
  }

  text(name: string): TextAnswer {
    return this.at(name).answer as TextAnswer;
  }

  json(name: string): JsonAnswer {
    return this.at(name).answer as JsonAnswer;
  }

  choice(name: string): ChoiceAnswer {
    return this.at(name).answer as ChoiceAnswer;
  }

  multiple(name: string): MultipleAnswer {
    return this.at(name).answer as MultipleAnswer;
  }

  list(name: string): ListAnswer {
    return this.at(name).answer as ListAnswer;
  }

  object(name: string): ObjectAnswer {
    return this.at(name).answer as ObjectAnswer;
  }

  variants(name: string): VariantsAnswer {
    return this.at(name).answer as VariantsAnswer;
  }

  type(name: string, text: string): this {
    const { answer } = this.at(name);
    if (answer.kind === 'json') answer.text = text;
    else edit.typeText(answer as TextAnswer, text);
    return this;
  }

  labels(name: string): string[] {
    const control = this.control(name);
    return 'options' in control ? control.options.map((option) => option.label) : [];
  }

  sent(): string {
    const { json, problems } = write(this.root, this.answer);
    return problems.length > 0 || json === undefined ? `blocked: ${JSON.stringify(problems)}` : json;
  }

  problems(): readonly FieldProblem[] {
    return write(this.root, this.answer).problems;
  }
}

describe('optional fields', () => {
  const everything = {
    text: { type: 'string' },
    number: { type: 'number' },
    whole: { type: 'integer' },
    yes: { type: 'boolean' },
    list: { type: 'array', items: { type: 'string' } },
    some: { type: 'array', items: { enum: ['a', 'b'] } },
    object: { type: 'object', properties: { inner: { type: 'string', default: 'x' } } },
    one: { enum: ['a', 'b'] },
    free: {},
    either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  };

  it('never touched, are left out: not null, "", [] or {}', () => {
    expect(Form.of(everything).sent()).toBe('{}');
  });

  it('typed and then cleared, are left out', () => {
    const form = Form.of(everything);
    form.type('whole', '12').type('text', 'x').type('free', '[1]');
    expect(form.sent()).toBe('{"text":"x","whole":12,"free":[1]}');
    form.type('whole', '').type('text', '').type('free', '');
    expect(form.sent()).toBe('{}');
  });

  it('can be sent empty on purpose, and taken back', () => {
    const form = Form.of(everything);
    edit.sendEmptyText(form.text('text'));
    edit.sendEmptyList(form.list('list'));
    edit.sendEmptyList(form.multiple('some'));
    edit.fillIn(form.object('object'));
    expect(form.sent()).toBe('{"text":"","list":[],"some":[],"object":{"inner":"x"}}');
    edit.leaveOut(form.text('text'));
    edit.leaveOut(form.list('list'));
    edit.leaveOut(form.multiple('some'));
    edit.leaveOut(form.object('object'));
    expect(form.sent()).toBe('{}');
  });

  it('choices can be taken back', () => {
    const form = Form.of(everything);
    edit.pickOne(form.choice('one'), 1);
    edit.pickOne(form.choice('yes'), 1);
    edit.togglePick(form.multiple('some'), 1);
    edit.togglePick(form.multiple('some'), 0);
    expect(form.sent()).toBe('{"yes":false,"some":["b","a"],"one":"b"}');
    edit.leaveOut(form.choice('one'));
    edit.leaveOut(form.choice('yes'));
    edit.togglePick(form.multiple('some'), 0);
    edit.togglePick(form.multiple('some'), 1);
    expect(form.sent()).toBe('{}');
  });

  it('an object of only optional members is sent as {} when it is the whole', () => {
    expect(Form.of({ a: { type: 'string' }, b: { type: 'number' } }).sent()).toBe('{}');
    expect(new Form({ type: 'object' }).sent()).toBe('{}');
  });
});

describe('required fields', () => {
  it('a string left empty on purpose is sent as ""', () => {
    expect(Form.of({ name: { type: 'string' } }, 'name').sent()).toBe('{"name":""}');
  });

  it('a string typed and cleared is sent as ""', () => {
    expect(
      Form.of({ name: { type: 'string' } }, 'name')
        .type('name', 'a')
        .type('name', '')
        .sent(),
    ).toBe('{"name":""}');
  });

  it('a number left empty blocks, at the field', () => {
    const form = Form.of({ size: { type: 'integer' }, ratio: { type: 'number' } }, 'size', 'ratio');
    expect(form.problems()).toEqual([
      { pointer: '/size', message: 'Enter a whole number.' },
      { pointer: '/ratio', message: 'Enter a number.' },
    ]);
  });

  it('a choice not made blocks; a single value needs no choice', () => {
    const form = Form.of({ color: { enum: ['red', 'blue'] }, kind: { const: 'point' } }, 'color', 'kind');
    expect(form.problems()).toEqual([{ pointer: '/color', message: 'Choose one.' }]);
    edit.pickOne(form.choice('color'), 0);
    expect(form.sent()).toBe('{"color":"red","kind":"point"}');
  });

  it('lists, objects and booleans have something to send', () => {
    const form = Form.of(
      {
        list: { type: 'array', items: { type: 'string' } },
        object: { type: 'object', properties: { a: { type: 'string' } } },
        open: { type: 'object' },
        any: { type: 'array' },
        yes: { type: 'boolean' },
      },
      'list',
      'object',
      'open',
      'any',
      'yes',
    );
    expect(form.sent()).toBe('{"list":[],"object":{},"open":{},"any":[],"yes":false}');
  });

  it('a required name that the schema does not describe is asked for as JSON', () => {
    const form = Form.of({ a: { type: 'string' } }, 'a', 'ghost');
    expect(form.control('ghost').kind).toBe('json');
    expect(form.problems()).toEqual([
      { pointer: '/ghost', message: 'This is required: enter a JSON value.' },
    ]);
    expect(form.type('ghost', '7').sent()).toBe('{"a":"","ghost":7}');
  });
});

describe('defaults', () => {
  it('are filled in, with their digits', () => {
    const form = Form.of({
      text: { type: 'string', default: 'x' },
      whole: { type: 'integer', default: 3 },
      yes: { type: 'boolean', default: true },
      one: { enum: ['a', 'b'], default: 'b' },
      some: { type: 'array', items: { enum: ['a', 'b'] }, default: ['b'] },
      list: { type: 'array', items: { type: 'integer' }, default: [1, 2] },
      object: { type: 'object', properties: { a: { type: 'string' } }, default: { a: 'z' } },
    });
    expect(form.sent()).toBe(
      '{"text":"x","whole":3,"yes":true,"one":"b","some":["b"],"list":[1,2],"object":{"a":"z"}}',
    );
    const precise = new Form('{"type":"object","properties":{"n":{"type":"number","default":1.10}}}');
    expect(precise.sent()).toBe('{"n":1.10}');
  });

  it('of null are kept', () => {
    const form = Form.of({
      a: { type: ['string', 'null'], default: null },
      b: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null },
      c: { type: 'string', default: null },
      d: { default: null },
      e: { enum: ['x', null], default: null },
      f: { type: ['array', 'null'], items: { type: 'string' }, default: null },
    });
    expect(form.sent()).toBe('{"a":null,"b":null,"c":null,"d":null,"e":null,"f":null}');
  });

  it('cleared, stay empty', () => {
    const form = Form.of({
      text: { type: 'string', default: 'x' },
      whole: { type: 'integer', default: 3 },
      one: { enum: ['a', 'b'], default: 'b' },
      list: { type: 'array', items: { type: 'integer' }, default: [1] },
    });
    form.type('text', '').type('whole', '');
    edit.leaveOut(form.choice('one'));
    const list = form.list('list');
    edit.removeItem(list, list.items[0]?.id ?? 0);
    expect(form.sent()).toBe('{}');
    // … also on the way through the JSON view.
    const back = fieldsFrom(form.root, textFrom(form.root, form.answer));
    expect(back.ok && write(form.root, back.answer).json).toBe('{}');
  });

  it('a required string with a default, cleared, is sent empty and not as its default', () => {
    expect(
      Form.of({ a: { type: 'string', default: 'x' } }, 'a')
        .type('a', '')
        .sent(),
    ).toBe('{"a":""}');
  });

  it('of the wrong type are shown as they are', () => {
    const form = Form.of({ n: { type: 'integer', default: '5' } });
    expect(form.json('n')).toEqual({ kind: 'json', text: '"5"' });
    expect(form.sent()).toBe('{"n":"5"}');
  });
});

describe('numbers', () => {
  const schema = { n: { type: 'number' }, i: { type: 'integer' } };

  it.each(['9007199254740993', '-12345678901234567890', '0'])(
    'the integer %s is sent digit by digit',
    (text) => {
      expect(Form.of(schema).type('i', text).sent()).toBe(`{"i":${text}}`);
    },
  );

  it.each(['1.10', '1e400', '-0', '0.1000000000000000055511151231257827'])('%s is sent as typed', (text) => {
    expect(Form.of(schema).type('n', text).sent()).toBe(`{"n":${text}}`);
  });

  it('an integer is a number on the wire, never a string', () => {
    expect(Form.of(schema).type('i', ' 42 ').sent()).toBe('{"i":42}');
  });

  it.each([
    ['i', '1.5', 'Enter a whole number, without a decimal point or an exponent.'],
    ['i', '1e3', 'Enter a whole number, without a decimal point or an exponent.'],
    ['i', 'abc', 'Enter a whole number, like 12.'],
    ['n', '1,5', 'Write decimals with a point: 1.5.'],
    ['n', '.5', 'JSON writes this number as 0.5.'],
    ['n', '+7', 'JSON writes this number as 7.'],
    ['n', '007', 'JSON writes this number as 7.'],
    ['n', '5.', 'JSON writes this number as 5.'],
    ['n', 'NaN', 'JSON has no such number.'],
    ['n', '0x10', 'Enter a number, like 12 or 0.5.'],
  ])('%s: %j is blocked with a reason', (name, text, message) => {
    expect(Form.of(schema).type(name, text).problems()).toEqual([{ pointer: `/${name}`, message }]);
  });
});

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

describe('null', () => {
  it.each([
    { type: ['string', 'null'] },
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
    { oneOf: [{ type: 'null' }, { type: 'string' }] },
    { anyOf: [{ type: 'string' }, { const: null }] },
    { anyOf: [{ type: ['string', 'null'] }, { type: 'null' }] },
  ])('%j has the real control, plus null', (schema) => {
    const form = Form.of({ v: schema });
    expect(form.field('v')).toMatchObject({ nullable: true, control: { kind: 'text' } });
    expect(form.sent()).toBe('{}');
    edit.sendNull(form.text('v'));
    expect(form.sent()).toBe('{"v":null}');
    expect(form.type('v', 'x').sent()).toBe('{"v":"x"}');
  });

  it('anyOf of an enum and null has the choices, plus null', () => {
    const form = Form.of({
      v: { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }], default: null },
    });
    expect(form.field('v')).toMatchObject({ nullable: true, control: { kind: 'choice' } });
    expect(form.sent()).toBe('{"v":null}');
    edit.pickOne(form.choice('v'), 0);
    expect(form.sent()).toBe('{"v":"a"}');
  });

  it('a null among the values of an enum is one of the choices', () => {
    const form = Form.of({ v: { type: ['string', 'null'], enum: ['a', null] } });
    expect(form.labels('v')).toEqual(['a', 'null']);
    expect(form.field('v').nullable).toBe(false);
  });

  it('is not offered where the enum forbids it', () => {
    expect(Form.of({ v: { type: ['string', 'null'], enum: ['a'] } }).field('v').nullable).toBe(false);
  });

  it('alone is a single choice', () => {
    expect(Form.of({ v: { type: 'null' } }, 'v').sent()).toBe('{"v":null}');
  });

  it('an optional object or null', () => {
    const form = Form.of({
      v: {
        anyOf: [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, { type: 'null' }],
      },
    });
    expect(form.sent()).toBe('{}');
    edit.sendNull(form.object('v'));
    expect(form.sent()).toBe('{"v":null}');
    edit.fillIn(form.object('v'));
    expect(form.sent()).toBe('{"v":{"a":""}}');
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

  it('in a circle become JSON', () => {
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
    expect(fields[1]?.control).toMatchObject({ kind: 'list', item: { control: { kind: 'json' } } });
    expect(fields[2]?.control).toMatchObject({ kind: 'json', reason: 'It contains itself (#/$defs/Node).' });
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

describe('lists', () => {
  const schema = { tags: { type: 'array', items: { type: 'string' } } };

  it('items are added, typed, moved and removed', () => {
    const form = Form.of(schema);
    const list = form.list('tags');
    const field = form.control('tags');
    if (field.kind !== 'list') throw new Error('no list');
    for (const text of ['a', 'b', 'c']) {
      edit.addItem(list, field.item);
      edit.typeText(list.items.at(-1)?.answer as TextAnswer, text);
    }
    edit.moveItem(list, list.items[2]?.id ?? 0, -1);
    expect(form.sent()).toBe('{"tags":["a","c","b"]}');
    edit.moveItem(list, list.items[0]?.id ?? 0, -1);
    edit.removeItem(list, list.items[0]?.id ?? 0);
    expect(form.sent()).toBe('{"tags":["c","b"]}');
    edit.removeItem(list, list.items[0]?.id ?? 0);
    edit.removeItem(list, list.items[0]?.id ?? 0);
    expect(form.sent()).toBe('{}');
  });

  it('of objects point at the item that has a problem', () => {
    const form = Form.of({
      rows: {
        type: 'array',
        items: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      },
    });
    const control = form.control('rows');
    if (control.kind !== 'list') throw new Error('no list');
    edit.addItem(form.list('rows'), control.item);
    edit.addItem(form.list('rows'), control.item);
    expect(form.problems().map((problem) => problem.pointer)).toEqual(['/rows/0/n', '/rows/1/n']);
  });

  it.each([
    [{ type: 'array' }],
    [{ type: 'array', items: true }],
    [{ type: 'array', prefixItems: [{ type: 'string' }] }],
    [{ type: 'array', items: [{ type: 'string' }] }],
  ])('%j is JSON', (list) => {
    expect(Form.of({ v: list }).control('v')).toMatchObject({ kind: 'json', type: 'array' });
  });
});

describe('JSON fields', () => {
  const schema = { v: { type: 'array' }, w: { description: 'anything' } };

  it('keep the text as typed, at each key press', () => {
    const form = Form.of(schema).type('v', '[1, 2]');
    expect(form.sent()).toBe('{"v":[1,2]}');
    // Backspace: the text stays as typed, and is parsed only when it is valid.
    form.type('v', '[1, 2');
    expect(form.json('v').text).toBe('[1, 2');
    expect(form.problems()).toEqual([
      {
        pointer: '/v',
        message: 'This is not JSON. Line 1, column 1: This list is not closed: “]” is missing.',
      },
    ]);
    expect(form.type('v', '[1, 2]').sent()).toBe('{"v":[1,2]}');
  });

  it('block the call while they are no JSON, also when optional', () => {
    expect(Form.of(schema).type('w', '{oops').problems()).toEqual([
      {
        pointer: '/w',
        message: 'This is not JSON. Line 1, column 2: A name in double quotes is expected here, not “o”.',
      },
    ]);
  });

  it('keep digits, order and repeated names', () => {
    const text = '{"z":1.10,"a":9007199254740993,"z":2}';
    expect(Form.of(schema).type('w', text).sent()).toBe(`{"w":${text}}`);
  });
});

describe('the order of fields', () => {
  it('is that of the schema, also for names that look like numbers', () => {
    const form = new Form(
      '{"type":"object","properties":{"b":{"type":"string"},"10":{"type":"string"},"2":{"type":"string"}},"required":["2","10","b"]}',
    );
    expect(form.sent()).toBe('{"b":"","10":"","2":""}');
  });

  it('names that JavaScript finds special are ordinary', () => {
    const form = new Form(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
    );
    expect(form.type('__proto__', 'x').sent()).toBe('{"__proto__":"x"}');
  });

  it('unknown keywords and $schema change nothing', () => {
    const form = Form.of({ v: { type: 'string', 'x-mcp-header': 'V', $comment: 'c', 'x-y': { z: [1] } } });
    expect(form.type('v', 'x').sent()).toBe('{"v":"x"}');
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
    ['{"type":"object","additionalProperties":{"type":"string"}}', 'Its names are free: write an object.'],
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

describe('between fields and JSON', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      size: { type: 'integer' },
      free: {},
      point: { type: 'object', properties: { x: { type: 'number' } } },
      tags: { type: 'array', items: { type: 'string' } },
    },
  };

  it('everything goes there and back', () => {
    const text =
      '{"name":"é","size":9007199254740993,"free":{"b":1.0,"a":[]},"point":{"x":1.10,"y":2},"tags":["a",""],"more":[1]}';
    const form = new Form(schema, text);
    expect(form.sent()).toBe(text);
    expect(textFrom(form.root, form.answer)).toContain('"size": 9007199254740993');
  });

  it('a value that a control cannot show is kept as JSON in its place', () => {
    const text = '{"name":5,"size":1.5,"point":[1],"tags":"no"}';
    const form = new Form(schema, text);
    expect(form.json('name')).toEqual({ kind: 'json', text: '5' });
    expect(form.sent()).toBe(text);
  });

  it('empty values stay what they are', () => {
    const text = '{"name":"","point":{},"tags":[]}';
    expect(new Form(schema, text).sent()).toBe(text);
  });

  it('what cannot be written is shown as typed', () => {
    const form = new Form(schema).type('size', '1,5').type('free', '{oops').type('name', 'x');
    expect(textFrom(form.root, form.answer)).toBe('{\n  "name": "x",\n  "size": 1,5,\n  "free": {oops\n}');
  });

  it.each([
    ['{oops', 'Line 1, column 2: A name in double quotes is expected here, not “o”.'],
    ['[1]', 'The whole must be a JSON object: it starts with “{” and ends with “}”.'],
    ['{"a":1,"a":2}', 'The name "a" stands twice in one object; fields can show only one of them.'],
  ])('%s stays in the JSON view, with the reason', (text, message) => {
    expect(fieldsFrom(new Form(schema).root, text)).toMatchObject({ ok: false, message });
  });

  it('an unreadable start opens the JSON view', () => {
    expect(open(JSON.stringify(schema), '{oops')).toMatchObject({ view: 'json', text: '{oops' });
  });

  it('untouched means the defaults', () => {
    const form = Form.of({ a: { type: 'string', default: 'x' } });
    expect(untouched(form.root)).toEqual(form.answer);
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
