import { describe, expect, it } from 'vitest';
import { suggest } from './complete';

const SCHEMA = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', description: 'whose' },
    seat: { enum: ['terrace', 'inside'] },
    open: { type: ['boolean', 'null'] },
    where: { $ref: '#/$defs/place' },
    many: { type: 'array', items: { $ref: '#/$defs/place' } },
    any: { anyOf: [{ properties: { left: {} } }, { properties: { right: { const: 7 } } }] },
  },
  $defs: {
    place: {
      type: 'object',
      properties: { town: { default: 'Rome' }, inner: { $ref: '#/$defs/place' } },
    },
  },
};

/** What is suggested where `|` stands. */
function at(marked: string, schema: unknown = SCHEMA): string[] {
  const cursor = marked.indexOf('|');
  return suggest(marked.replace('|', ''), cursor, schema).items.map(({ label }) => label);
}

/** The text after the first suggestion was taken. */
function taken(marked: string): string {
  const cursor = marked.indexOf('|');
  const text = marked.replace('|', '');
  const { from, to, items } = suggest(text, cursor, SCHEMA);
  return text.slice(0, from) + (items[0]?.insert ?? '') + text.slice(to);
}

describe('suggest', () => {
  it('has the keys that are not there yet, before and after the cursor', () => {
    expect(at('{|}')).toEqual(['name', 'seat', 'open', 'where', 'many', 'any']);
    expect(at('{"name": "a", |, "seat": "inside"}')).toEqual(['open', 'where', 'many', 'any']);
    expect(at('{"n|": 1}')).toEqual(['name', 'open', 'many', 'any']);
    expect(at('{"op|')).toEqual(['open']);
  });

  it('has the values of which there are few', () => {
    expect(at('{"seat": |}')).toEqual(['terrace', 'inside']);
    expect(at('{"seat": "in|"}')).toEqual(['inside']);
    expect(at('{"open": |}')).toEqual(['true', 'false', 'null']);
    expect(at('{"open": t|}')).toEqual(['true']);
    expect(at('{"where": {"town": |}}')).toEqual(['Rome']);
  });

  it('goes through references, lists and variants, also those that never end', () => {
    expect(at('{"where": {|}}')).toEqual(['town', 'inner']);
    expect(at('{"where": {"inner": {"inner": {|}}}}')).toEqual(['town', 'inner']);
    expect(at('{"many": [{}, {"town": "x", |}]}')).toEqual(['inner']);
    expect(at('{"any": {|}}')).toEqual(['left', 'right']);
    expect(at('{"any": {"right": |}}')).toEqual(['7']);
    expect(at('{|}', { $ref: '#' })).toEqual([]);
    expect(at('{|}', { allOf: [{ $ref: '#/allOf/0' }] })).toEqual([]);
    expect(at('{|}', { $ref: '#/%E0%A4%A' })).toEqual([]);
    expect(at('{"__proto__": {|}}')).toEqual([]);
  });

  it('has nothing where nothing can be written on', () => {
    expect(at('|')).toEqual([]);
    expect(at('{"name": "a" |}')).toEqual([]);
    expect(at('{"name": "a"}|')).toEqual([]);
    expect(at('{"seat": "inside"|}')).toEqual([]);
    expect(at('{|}', 'no schema')).toEqual([]);
    expect(at('{|}', true)).toEqual([]);
    // The key that stands there is no news.
    expect(at('{"seat|": 1}')).toEqual([]);
  });

  it('is taken in place of what was typed', () => {
    expect(taken('{"na|"}')).toBe('{"name": ""}');
    expect(taken('{na|: 4}')).toBe('{"name": 4}');
    expect(taken('{"seat": "t|"}')).toBe('{"seat": "terrace"}');
    expect(taken('{"wh|')).toBe('{"where": {}');
  });

  it('says the type, what is required, and what the schema tells', () => {
    const [name] = suggest('{}', 1, SCHEMA).items;
    expect(name?.detail).toBe('required · string · whose');
  });

  it('takes a schema within the schema for a root of its own', () => {
    const whole = {
      properties: {
        arguments: { ...SCHEMA, $own: true },
      },
    };
    expect(at('{"arguments": {"where": {|}}}', whole)).toEqual(['town', 'inner']);
  });
});
