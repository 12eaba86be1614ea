/** The two views of one value. */

import { describe, expect, it } from 'vitest';
import { untouched } from './answer';
import { Form } from './form-driver';
import { fieldsFrom, open, textFrom } from './whole';

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
