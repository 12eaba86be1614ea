import { expect, it } from 'vitest';
import { placed } from './placed';

it('leads references to where the schema stands now, and leaves others as they are', () => {
  const text = '{"a":{"$ref": "#/$defs/b"},"c":{"$ref":"#"},"d":{"$ref":"https://example.org/#/x"}}';
  expect(placed(text, '/properties/arguments')).toEqual({
    a: { $ref: '#/properties/arguments/$defs/b' },
    c: { $ref: '#/properties/arguments' },
    d: { $ref: 'https://example.org/#/x' },
  });
});

it('reads nothing from what is no schema with members', () => {
  for (const text of ['true', '[]', '7', 'null', '{"a":']) expect(placed(text, '/x')).toBeUndefined();
});
