import { describe, expect, it } from 'vitest';
import { placeComplaints, type Complaint } from './complaints';
import { lineOf, open } from './whole';

const schema = {
  type: 'object',
  properties: {
    email: { type: 'string', format: 'email' },
    when: { type: 'string', format: 'date' },
    count: { type: 'integer', maximum: 5 },
    color: { enum: ['a', 'b'] },
    point: { type: 'object', properties: { 'x/y': { type: 'number' } }, required: ['x/y'] },
    rows: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
    some: { type: 'array', items: { enum: ['a', 'b'] } },
    free: {},
  },
};

function place(value: string, ...complaints: Complaint[]): { pointer: string; message: string }[] {
  const { shape, answer } = open(JSON.stringify(schema), value);
  if (shape.kind !== 'form' || answer === undefined) throw new Error('no form');
  return placeComplaints(shape.root, answer, complaints);
}

describe('what a validator says', () => {
  it('is said at the field in plain words', () => {
    expect(
      place(
        '{"email":"ana@","when":"tomorrow","count":6}',
        { pointer: '/email', keyword: 'format', message: '"ana@" is not a "email"' },
        { pointer: '/when', keyword: 'format', message: '"tomorrow" is not a "date"' },
        { pointer: '/count', keyword: 'maximum', message: 'must be at most 5' },
      ),
    ).toEqual([
      { pointer: '/email', message: 'Enter an email address, like name@example.com.' },
      { pointer: '/when', message: 'Enter a date as year-month-day, like 2026-12-31.' },
      { pointer: '/count', message: 'must be at most 5' },
    ]);
  });

  it('of a missing member is said at that member', () => {
    const missing = { pointer: '', keyword: 'required', message: '"color" is a required property' };
    expect(place('{}', missing)).toEqual([{ pointer: '/color', message: 'Choose one.' }]);
    const inner = { pointer: '/point', keyword: 'required', message: '"x/y" is a required property' };
    expect(place('{"point":{}}', inner)).toEqual([{ pointer: '/point/x~1y', message: 'This is required.' }]);
    const exact = { pointer: '/color', keyword: 'required', message: '“color” is required' };
    expect(place('{}', exact)).toEqual([{ pointer: '/color', message: 'Choose one.' }]);
  });

  it('inside lists reaches the item', () => {
    const wrong = { pointer: '/rows/1/n', keyword: 'type', message: 'must be an integer' };
    expect(place('{"rows":[{"n":1},{"n":2}]}', wrong)).toEqual([
      { pointer: '/rows/1/n', message: 'must be an integer' },
    ]);
  });

  it('inside what no field shows is said around it, with the way', () => {
    expect(
      place(
        '{"free":{"a":{"b":1}},"some":["a"],"stranger":1}',
        { pointer: '/free/a/b', keyword: 'type', message: 'must be a string' },
        { pointer: '/some/0', keyword: 'enum', message: 'is not allowed' },
        { pointer: '/stranger', keyword: 'additionalProperties', message: 'is not expected' },
      ),
    ).toEqual([
      { pointer: '/free', message: 'a/b: must be a string' },
      { pointer: '/some', message: 'Item 1: is not allowed' },
      { pointer: '', message: 'stranger: is not expected' },
    ]);
  });

  it('of the whole stays with the whole, and is said once', () => {
    const complaint = { pointer: '', keyword: 'minProperties', message: 'has too few members' };
    expect(place('{}', complaint, complaint)).toEqual([{ pointer: '', message: 'has too few members' }]);
  });

  it('has a line in the JSON view', () => {
    expect(lineOf('{\n  "a": [\n    1,\n    2\n  ]\n}', '/a/1')).toBe(4);
    expect(lineOf('{}', '/a')).toBeUndefined();
  });
});
