import { expect, it } from 'vitest';
import { tableOf } from './structured';

it('a list of flat objects is a table, also within an object', () => {
  expect(tableOf('[{"a":1,"b":"x"},{"b":null,"c":true}]')).toEqual({
    columns: ['a', 'b', 'c'],
    rows: [
      ['1', 'x', undefined],
      [undefined, 'null', 'true'],
    ],
    name: undefined,
  });
  expect(tableOf('{"rows":[{"a":"y"}]}')).toMatchObject({ name: 'rows', rows: [['y']] });
});

it('anything else is none', () => {
  for (const json of [
    '[]',
    '{}',
    '[1]',
    '[{"a":{}}]',
    '[{"a":[]}]',
    '[{}]',
    '{"a":[{"b":1}],"c":2}',
    'no',
    '[[]]',
  ])
    expect(tableOf(json)).toBeUndefined();
});
