import { describe, expect, it } from 'vitest';
import { FormState } from '../form-state.svelte';

const schema = JSON.stringify({
  type: 'object',
  properties: {
    city: { type: 'string' },
    api_key: { type: 'string' },
    word: { type: 'string', format: 'password' },
    people: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' }, password: { type: 'string' } } },
    },
  },
});

const filled = JSON.stringify({
  city: 'Lucca',
  api_key: 'K-1',
  word: 'W-1',
  people: [{ name: 'Ana', password: 'P-1' }],
  note: 'N',
  auth_token: 'T-1',
});

describe('a form that is kept beyond its page', () => {
  it('loses what looks like a secret, and nothing else', () => {
    const safe = new FormState(schema, filled, undefined).keepSafely();
    expect(JSON.stringify(safe)).not.toMatch(/K-1|W-1|P-1|T-1/);
    const again = new FormState(schema, undefined, safe);
    expect(JSON.parse(again.json ?? 'null')).toEqual({
      city: 'Lucca',
      people: [{ name: 'Ana' }],
      note: 'N',
    });
  });

  it('as JSON text is kept only where it holds none', () => {
    const form = new FormState(schema, filled, undefined);
    form.showJson();
    expect(form.keepSafely()).toBeUndefined();
    const open = new FormState(
      '{"type":"object","properties":{"city":{"type":"string"}}}',
      undefined,
      undefined,
    );
    open.showJson();
    open.typed('{"city": "Lu');
    expect(open.keepSafely()?.text).toBe('{"city": "Lu');
    open.typed('{"city": "Lu", "password": "x');
    expect(open.keepSafely()).toBeUndefined();
  });

  it('numbers its list items anew', () => {
    const safe = new FormState(schema, filled, undefined).keepSafely();
    const forms = [1, 2].map(() => new FormState(schema, undefined, structuredClone(safe)));
    const ids = forms.flatMap((form) =>
      [...JSON.stringify(form.answer).matchAll(/"id":(\d+)/g)].map(([, id]) => id),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(2);
  });
});
