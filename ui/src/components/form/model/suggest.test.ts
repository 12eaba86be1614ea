import { describe, expect, it } from 'vitest';
import { cursorAt } from '$lib/json/cursor';
import { suggester } from './suggest';

const schema = JSON.stringify({
  type: 'object',
  properties: {
    city: { type: 'string', description: 'Where to', examples: ['Rome'] },
    mode: { enum: ['fast', 'exact', 3, null] },
    force: { type: 'boolean', default: false },
    stops: { type: 'array', items: { $ref: '#/$defs/Stop' } },
    pair: { type: 'array', prefixItems: [{ const: 'x' }, { enum: ['y'] }] },
    any: { oneOf: [{ properties: { left: {} } }, { properties: { right: {} } }] },
  },
  required: ['mode'],
  if: { properties: { force: { const: true } } },
  then: { properties: { reason: { type: 'string' } } },
  additionalProperties: { enum: ['other'] },
  $defs: {
    Stop: { type: 'object', properties: { at: { type: 'integer' }, next: { $ref: '#/$defs/Stop' } } },
  },
});

/** Suggestions where `|` stands: their labels, or the text with the first one taken. */
function ask(marked: string): { labels: string[]; taken: string | undefined } {
  const offset = marked.indexOf('|');
  const text = marked.replace('|', '');
  const found = suggester(schema)(text, offset);
  const [first] = found?.all ?? [];
  const taken = found && first && text.slice(0, found.from) + first.text + text.slice(found.to);
  return { labels: found?.all.map(({ label }) => label) ?? [], taken };
}

describe('what a schema suggests', () => {
  it('names, those that are required first, without those that stand there', () => {
    expect(ask('{|').labels).toEqual(['mode', 'city', 'force', 'stops', 'pair', 'any', 'reason']);
    expect(ask('{"city": "x", |, "stops": []}').labels).toEqual(['mode', 'force', 'pair', 'any', 'reason']);
    expect(ask('{"st|').labels).toEqual(['stops']);
    expect(ask('{"st|').taken).toBe('{"stops": []');
    expect(ask('{ci|').taken).toBe('{"city": ""');
    expect(ask('{"ci|": 5}').taken).toBe('{"city": 5}');
    expect(ask('{fo|}').taken).toBe('{"force": false}');
  });

  it('values, in their types', () => {
    expect(ask('{"mode": |}').labels).toEqual(['fast', 'exact', '3', 'null']);
    expect(ask('{"mode": ex|}').taken).toBe('{"mode": "exact"}');
    expect(ask('{"mode": "ex|"}').taken).toBe('{"mode": "exact"}');
    expect(ask('{"force": |').labels).toEqual(['false', 'true']);
    expect(ask('{"city": "|"}').labels).toEqual(['Rome']);
    expect(ask('{"free": |}').labels).toEqual(['other']);
    expect(ask('{"mode": "fast"|}').labels).toEqual([]);
  });

  it('inside lists, references, variants and conditions', () => {
    expect(ask('{"stops": [{}, {"at": 1, "next": {|}}]}').labels).toEqual(['at', 'next']);
    expect(ask('{"pair": ["x", |]}').labels).toEqual(['y']);
    expect(ask('{"any": {|}}').labels).toEqual(['left', 'right']);
    expect(ask('{"force": true, |').labels).toContain('reason');
  });

  it('and nothing from what is no schema, refers to nothing, or goes round in a circle', () => {
    const nothing = (by: string, text = '{}'): void => {
      expect(suggester(by)(text, text.length - 1)?.all ?? []).toEqual([]);
    };
    for (const by of ['', '{', 'true', '"x"', '[]', '{"$ref":"#"}', '{"allOf":[{"$ref":"#/allOf/0"}]}'])
      nothing(by);
    nothing('{"$ref":"#/%E0%A4%A"}');
    nothing('{"properties":{"a":{"$ref":"#/none"}}}', '{"a": {}');
    nothing(schema, '{"__proto__": {}');
  });
});

describe('where a cursor stands', () => {
  it.each([
    ['{"a": [1, {"b": |', ['a', 1, 'b'], 'value'],
    ['{"a": {"b": 1}, "c": |', ['c'], 'value'],
    ['{"a\\"}": |', ['a"}'], 'value'],
    ['[|', [0], 'value'],
    ['{"a": "not } closed |', ['a'], 'value'],
    ['{"a": 1, |', [], 'name'],
  ])('%s', (marked, path, at) => {
    expect(cursorAt(marked.replace('|', ''), marked.indexOf('|'))).toMatchObject({ path, at });
  });

  it.each(['|', '{"a"|', '{"a" |', '{"a": 1 |', '{} |', '"x" |'])('nowhere: %s', (marked) => {
    const found = cursorAt(marked.replace('|', ''), marked.indexOf('|'));
    expect(found === undefined || marked === '{"a"|').toBe(true);
  });
});
