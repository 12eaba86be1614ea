/** Fields that depend on what is given, lists with places, names of one's own, and schemas inside themselves. */

import { describe, expect, it } from 'vitest';
import type { AgainAnswer, ObjectAnswer, TextAnswer } from './answer';
import { placeComplaints } from './complaints';
import * as edit from './edit';
import type { MoreMembers } from './field';
import { Form } from './form-driver';
import { keptForm } from '../form-state.svelte';
import { withoutSecrets } from './kept';
import { textFrom } from './whole';

const delivery = {
  type: 'object',
  properties: {
    country: { enum: ['US', 'DE', 'FR'] },
    how: { type: 'string' },
    code: { type: 'string' },
  },
  required: ['country'],
  if: { properties: { country: { const: 'US' } }, required: ['country'] },
  then: { properties: { state: { type: 'string' }, code: { pattern: '^\\d{5}$' } }, required: ['state'] },
  else: { properties: { region: { type: 'integer' } } },
};

describe('if, then and else', () => {
  it('show the fields of the branch that holds, and keep what the other was given', () => {
    const form = new Form(delivery);
    expect(form.names()).toEqual(['country', 'how', 'code', 'region']);
    form.type('region', '7').type('code', 'x');
    edit.pickOne(form.choice('country'), 0);
    expect(form.names()).toEqual(['country', 'how', 'code', 'state']);
    expect(form.field('code').hints).toEqual(['matches ^\\d{5}$']);
    expect(form.field('state').required).toBe(true);
    expect(form.type('state', 'NY').sent()).toBe('{"country":"US","code":"x","state":"NY"}');
    edit.pickOne(form.choice('country'), 1);
    expect(form.field('code').hints).toEqual([]);
    expect(form.sent()).toBe('{"country":"DE","code":"x","region":7}');
    edit.pickOne(form.choice('country'), 0);
    expect(form.sent()).toBe('{"country":"US","code":"x","state":"NY"}');
  });

  it('hold of a value that is not given where the schema says nothing against it', () => {
    const form = new Form({
      type: 'object',
      properties: { a: { type: 'string' } },
      if: { properties: { a: { const: 'x' } } },
      then: { properties: { b: { type: 'string' } } },
    });
    expect(form.names()).toEqual(['a', 'b']);
    form.type('a', 'y');
    expect(form.names()).toEqual(['a']);
  });

  it('each of several in allOf, with a chain in else', () => {
    const only = (value: string): object => ({ properties: { kind: { const: value } }, required: ['kind'] });
    const form = new Form({
      type: 'object',
      properties: { kind: { enum: ['file', 'url', 'text', 'none'] } },
      allOf: [
        { if: only('file'), then: { properties: { path: { type: 'string' } }, required: ['path'] } },
        {
          if: only('url'),
          then: { properties: { url: { type: 'string', format: 'uri' } } },
          else: { if: only('text'), then: { properties: { text: { type: 'string' } } } },
        },
      ],
    });
    const names = [0, 1, 2, 3].map((pick) => {
      edit.pickOne(form.choice('kind'), pick);
      return form.names();
    });
    expect(names).toEqual([['kind', 'path'], ['kind', 'url'], ['kind', 'text'], ['kind']]);
  });

  it('begin as the value they open with says, and lose nothing that it has', () => {
    const form = new Form(delivery, '{"country":"US","state":"NY","region":"kept"}');
    expect(form.names()).toEqual(['country', 'how', 'code', 'state']);
    expect(form.sent()).toBe('{"country":"US","state":"NY","region":"kept"}');
    edit.pickOne(form.choice('country'), 2);
    // The field takes over what was given to it while it was not there.
    expect(form.json('region').text).toBe('"kept"');
    expect(form.sent()).toBe('{"country":"FR","region":"kept"}');
  });

  it('begin as the defaults say', () => {
    const form = new Form({
      type: 'object',
      properties: { on: { type: 'boolean', default: true } },
      if: { properties: { on: { const: true } }, required: ['on'] },
      then: { properties: { level: { type: 'integer', default: 3 } } },
    });
    expect(form.sent()).toBe('{"on":true,"level":3}');
  });

  it('may forbid a member', () => {
    const form = new Form({
      type: 'object',
      properties: { free: { type: 'boolean' }, price: { type: 'number' } },
      if: { properties: { free: { const: true } }, required: ['free'] },
      then: { properties: { price: false } },
    });
    form.type('price', '2.50');
    edit.pickOne(form.choice('free'), 0);
    expect(form.sent()).toBe('{"free":true}');
    edit.pickOne(form.choice('free'), 1);
    expect(form.sent()).toBe('{"free":false,"price":2.50}');
  });

  it('narrow a choice, and the value stays', () => {
    const form = new Form({
      type: 'object',
      properties: { fast: { type: 'boolean' }, mode: { enum: ['a', 'b', 'c'] } },
      if: { properties: { fast: { const: true } }, required: ['fast'] },
      then: { properties: { mode: { enum: ['b', 'c', 'd'] } } },
    });
    edit.pickOne(form.choice('mode'), 2);
    edit.pickOne(form.choice('fast'), 0);
    expect(form.labels('mode')).toEqual(['b', 'c']);
    expect(form.sent()).toBe('{"fast":true,"mode":"c"}');
  });

  it('stand inside an item of a list', () => {
    const form = new Form(
      { type: 'object', properties: { stops: { type: 'array', items: delivery } } },
      '{"stops":[{"country":"US","state":"NY"},{"country":"DE","region":2}]}',
    );
    expect(form.sent()).toBe('{"stops":[{"country":"US","state":"NY"},{"country":"DE","region":2}]}');
    const first = form.list('stops').items[0]?.answer as ObjectAnswer;
    expect(first.held).toEqual([true]);
  });

  it('in a circle come to an end', () => {
    const form = new Form({
      type: 'object',
      properties: { a: { type: 'string' } },
      if: { properties: { b: false } },
      then: { properties: { b: { type: 'string', default: 'x' } } },
    });
    expect(form.sent()).toMatch(/^\{("b":"x")?\}$/);
  });
});

describe('members that wait for another', () => {
  const card = { type: 'object', properties: { name: { type: 'string' }, card: { type: 'string' } } };

  it('dependentRequired makes them required', () => {
    const form = new Form({ ...card, dependentRequired: { card: ['name', 'address'] } });
    expect(form.names()).toEqual(['name', 'card']);
    expect(form.field('name').required).toBe(false);
    form.type('name', 'Ana').type('card', '1');
    expect(form.field('name').required).toBe(true);
    expect(form.control('address')).toMatchObject({ kind: 'json' });
    expect(form.type('address', '{"a":1}').sent()).toBe('{"name":"Ana","card":"1","address":{"a":1}}');
    form.type('card', '');
    expect(form.sent()).toBe('{"name":"Ana"}');
  });

  const then = { properties: { address: { type: 'string' } }, required: ['address'] };
  it.each([
    ['dependentSchemas', { ...card, dependentSchemas: { card: then } }],
    ['dependencies of draft-07', { ...card, dependencies: { card: then } }],
  ])('%s brings fields along', (_, schema) => {
    const form = new Form(schema);
    form.type('card', '1');
    expect(form.names()).toEqual(['name', 'card', 'address']);
    expect(form.type('address', 'here').sent()).toBe('{"card":"1","address":"here"}');
    form.type('card', '');
    expect(form.sent()).toBe('{}');
    form.type('card', '2');
    expect(form.sent()).toBe('{"card":"2","address":"here"}');
  });

  it('dependencies of draft-07 name members', () => {
    const form = new Form({ ...card, dependencies: { card: ['name'] } });
    form.type('card', '1');
    expect(form.field('name').required).toBe(true);
  });

  it('with variants by the value itself', () => {
    const form = new Form({
      type: 'object',
      properties: { pets: { enum: ['none', 'one', 'many'], default: 'none' } },
      dependencies: {
        pets: {
          oneOf: [
            { properties: { pets: { enum: ['none'] } } },
            { properties: { pets: { enum: ['one'] }, name: { type: 'string' } } },
            { properties: { pets: { enum: ['many'] }, count: { type: 'integer' } } },
          ],
        },
      },
    });
    const names = [0, 1, 2].map((pick) => {
      edit.pickOne(form.choice('pets'), pick);
      return form.names();
    });
    expect(names).toEqual([['pets'], ['pets', 'name'], ['pets', 'count']]);
  });
});

describe('lists with places', () => {
  const point = { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number', title: 'Height' }] };

  it.each([
    ['prefixItems', { ...point, items: { type: 'string' } }],
    [
      'items and additionalItems of draft-07',
      { type: 'array', items: point.prefixItems, additionalItems: { type: 'string' } },
    ],
  ])('%s draw each place, and what follows', (_, schema) => {
    const form = Form.of({ at: schema });
    const control = form.control('at');
    if (control.kind !== 'tuple' || control.rest === undefined) throw new Error(control.kind);
    expect(control.places.map(({ key }) => key)).toEqual(['item 1', 'Height']);
    expect(form.sent()).toBe('{}');
    const answer = form.tuple('at');
    edit.fillIn(answer);
    expect(form.sent()).toBe('{"at":[]}');
    edit.typeText(answer.places[0] as TextAnswer, '1.50');
    expect(form.sent()).toBe('{"at":[1.50]}');
    edit.addItem(answer, control.rest);
    edit.typeText(answer.items[0]?.answer as TextAnswer, 'x');
    expect(form.problems()).toEqual([
      { pointer: '/at/1', message: 'Fill this in, or leave out what comes after it.' },
    ]);
    edit.typeText(answer.places[1] as TextAnswer, '2');
    expect(form.sent()).toBe('{"at":[1.50,2,"x"]}');
  });

  it('are read from a value, and say what is wrong at its place', () => {
    const form = Form.of({ at: { ...point, items: { type: 'string' }, minItems: 2 } }, 'at');
    expect(form.problems().map(({ pointer }) => pointer)).toEqual(['/at/0', '/at/1']);
    const given = new Form(
      { type: 'object', properties: { at: { ...point, items: { type: 'string' } } } },
      '{"at":[1,2,"x","y"]}',
    );
    expect(given.sent()).toBe('{"at":[1,2,"x","y"]}');
    const complaint = { pointer: '/at/3', keyword: 'type', message: 'is not a string' };
    expect(placeComplaints(given.root, given.answer, [complaint])).toEqual([
      { pointer: '/at/3', message: 'is not a string' },
    ]);
    expect(textFrom(given.root, given.answer)).toContain('"x",\n    "y"');
  });

  it('with nothing after them have no item to add, and take no longer value', () => {
    const schema = { type: 'object', properties: { at: { ...point, items: false } } };
    expect(new Form(schema).control('at')).toMatchObject({ kind: 'tuple', rest: undefined });
    expect(new Form(schema, '{"at":[1,2,3]}').answer).toMatchObject({ members: [{ kind: 'json' }] });
    expect(new Form(schema, '{"at":[1,2,3]}').sent()).toBe('{"at":[1,2,3]}');
  });
});

describe('names of one’s own', () => {
  function moreOf(form: Form, name: string): MoreMembers {
    const control = form.control(name);
    if (control.kind !== 'object' || control.more === undefined) throw new Error(control.kind);
    return control.more;
  }

  const form = (): Form => Form.of({ env: { type: 'object', additionalProperties: { type: 'integer' } } });

  it('are rows of the type that the schema says', () => {
    const env = form();
    const more = moreOf(env, 'env');
    const answer = env.object('env');
    expect(env.sent()).toBe('{}');
    const first = edit.addRow(answer, more) ?? 0;
    expect(env.problems()).toMatchObject([
      { pointer: '/env/', message: 'Enter a whole number.' },
      { pointer: '/env/', message: 'Give it a name.' },
    ]);
    edit.renameRow(answer, more, first, 'PORT');
    edit.typeText(answer.rows[0]?.answer as TextAnswer, '8080');
    expect(env.sent()).toBe('{"env":{"PORT":8080}}');
    const second = edit.addRow(answer, more) ?? 0;
    edit.renameRow(answer, more, second, 'PORT');
    edit.typeText(answer.rows[1]?.answer as TextAnswer, '1');
    expect(env.problems()).toEqual([{ pointer: '/env/PORT', message: 'The name "PORT" stands here twice.' }]);
    edit.renameRow(answer, more, second, 'a/b "c"');
    expect(env.sent()).toBe('{"env":{"PORT":8080,"a/b \\"c\\"":1}}');
    edit.removeRow(answer, first);
    expect(env.sent()).toBe('{"env":{"a/b \\"c\\"":1}}');
    edit.removeRow(answer, second);
    expect(env.sent()).toBe('{"env":{}}');
  });

  it('are read from a value', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      additionalProperties: { type: 'integer' },
    };
    const read = new Form(schema, '{"a":"x","n":1.0,"m":12345678901234567890}');
    const { rows, extras } = read.answer as ObjectAnswer;
    expect([rows.map(({ name }) => name), extras]).toEqual([['n', 'm'], []]);
    expect(read.sent()).toBe('{"a":"x","n":1.0,"m":12345678901234567890}');
    const complaint = { pointer: '/m', keyword: 'maximum', message: 'is too large' };
    expect(placeComplaints(read.root, read.answer, [complaint])).toEqual([
      { pointer: '/m', message: 'is too large' },
    ]);
  });

  it('by their patterns; another name takes what was typed along', () => {
    const labels = Form.of({
      labels: {
        type: 'object',
        patternProperties: { '^x-': { type: 'string' }, '^n-': { type: 'integer' } },
        additionalProperties: false,
      },
    });
    const more = moreOf(labels, 'labels');
    expect(more.hints).toEqual(['matches ^x-', 'matches ^n-']);
    const answer = labels.object('labels');
    const row = edit.addRow(answer, more) ?? 0;
    edit.renameRow(answer, more, row, 'x-a');
    edit.typeText(answer.rows[0]?.answer as TextAnswer, '5');
    expect(labels.sent()).toBe('{"labels":{"x-a":"5"}}');
    edit.renameRow(answer, more, row, 'n-a');
    // A text is no number: it stays what it was until the person says otherwise.
    expect(labels.sent()).toBe('{"labels":{"n-a":"5"}}');
  });

  it('of any value are rows of JSON beside named ones, and one text alone', () => {
    const beside = new Form({
      type: 'object',
      properties: { a: { type: 'string' } },
      additionalProperties: true,
    });
    expect(beside.root.control).toMatchObject({ more: { other: { control: { kind: 'json' } } } });
    expect(Form.of({ any: { type: 'object', additionalProperties: true } }).control('any').kind).toBe('json');
  });

  it('that look secret are not kept', () => {
    const env = new Form(
      { type: 'object', additionalProperties: { type: 'string' } },
      '{"HOME":"/root","API_TOKEN":"hush"}',
    );
    const safe = withoutSecrets(env.root, env.answer) as ObjectAnswer;
    expect(safe.rows.map(({ name }) => name)).toEqual(['HOME']);
    expect(keptForm({ schema: '{}', text: '', view: 'fields', answer: safe })).toBeDefined();
  });

  it('of a pattern that could keep the page busy are not tried', () => {
    const start = performance.now();
    const slow = Form.of({
      v: { type: 'object', patternProperties: { '^(a+)+$': { type: 'string' }, '^(a|aa)*b': {} } },
    });
    const more = moreOf(slow, 'v');
    const row = edit.addRow(slow.object('v'), more) ?? 0;
    edit.renameRow(slow.object('v'), more, row, `${'a'.repeat(60)}!`);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

describe('schemas inside themselves', () => {
  const tree = {
    type: 'object',
    properties: { root: { $ref: '#/$defs/Node' } },
    $defs: {
      Node: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          children: { type: 'array', items: { $ref: '#/$defs/Node' } },
          next: { anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }] },
        },
        required: ['name'],
      },
    },
  };

  it('are drawn as deep as somebody opens them', () => {
    const form = new Form(tree);
    const root = form.object('root');
    edit.fillIn(root);
    const node = form.control('root');
    const children = node.kind === 'object' ? node.fields[1]?.control : undefined;
    if (children?.kind !== 'list') throw new Error('no list');
    const list = root.members[1];
    if (list?.kind !== 'list') throw new Error('no list');
    edit.addItem(list, children.item);
    const child = list.items[0]?.answer as AgainAnswer;
    expect(child.state).toBe('set');
    edit.typeText((child.inner as ObjectAnswer).members[0] as TextAnswer, 'leaf');
    expect(form.sent()).toBe('{"root":{"name":"","children":[{"name":"leaf"}]}}');
    const next = root.members[2] as AgainAnswer;
    edit.sendNull(next);
    expect(form.sent()).toBe('{"root":{"name":"","children":[{"name":"leaf"}],"next":null}}');
  });

  it('are read from a value, however deep', () => {
    const value =
      '{"root":{"name":"a","children":[{"name":"b","children":[{"name":"c","next":{"name":"d","next":null}}]}]}}';
    const form = new Form(tree, value);
    expect(form.sent()).toBe(value);
    expect(textFrom(form.root, form.answer).replace(/\s/g, '')).toBe(value);
    const complaint = {
      pointer: '/root/children/0/children/0/name',
      keyword: 'minLength',
      message: 'too short',
    };
    expect(placeComplaints(form.root, form.answer, [complaint])).toEqual([
      { pointer: complaint.pointer, message: 'too short' },
    ]);
  });

  it('as variants', () => {
    const value = '{"expr":{"op":"+","left":1,"right":{"op":"-","left":2,"right":3}}}';
    const form = new Form(
      {
        type: 'object',
        properties: { expr: { $ref: '#/$defs/Expr' } },
        $defs: {
          Expr: {
            anyOf: [
              { type: 'number' },
              {
                type: 'object',
                properties: {
                  op: { enum: ['+', '-'] },
                  left: { $ref: '#/$defs/Expr' },
                  right: { $ref: '#/$defs/Expr' },
                },
                required: ['op', 'left', 'right'],
              },
            ],
          },
        },
      },
      value,
    );
    expect(form.sent()).toBe(value);
  });

  it('with nothing else are JSON', () => {
    expect(Form.of({ v: { $ref: '#/properties/v' } }).control('v').kind).toBe('json');
    const loop = { $ref: '#/$defs/A', $defs: { A: { allOf: [{ $ref: '#/$defs/A' }] } } };
    expect(() => new Form(loop)).toThrow('no form');
  });
});
