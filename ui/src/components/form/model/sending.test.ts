/** What is sent: a schema, some answers, and the JSON that comes of them. */

import { describe, expect, it } from 'vitest';
import type { TextAnswer } from './answer';
import * as edit from './edit';
import { Form } from './form-driver';
import { fieldsFrom, textFrom } from './whole';
import { write } from './write';

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

  it('a yes-or-no is nobody’s answer until it is given', () => {
    const form = Form.of({ yes: { type: 'boolean' } }, 'yes');
    expect(form.problems()).toEqual([{ pointer: '/yes', message: 'Choose one.' }]);
    edit.pickOne(form.choice('yes'), 1);
    expect(form.sent()).toBe('{"yes":false}');
  });

  it('lists and objects have something to send', () => {
    const form = Form.of(
      {
        list: { type: 'array', items: { type: 'string' } },
        object: { type: 'object', properties: { a: { type: 'string' } } },
        open: { type: 'object' },
        any: { type: 'array' },
      },
      'list',
      'object',
      'open',
      'any',
    );
    expect(form.sent()).toBe('{"list":[],"object":{},"open":{},"any":[]}');
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

  it.each([[{ type: 'array' }], [{ type: 'array', items: true }]])('%j is JSON', (list) => {
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
