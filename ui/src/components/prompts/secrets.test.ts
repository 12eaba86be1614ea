import { describe, expect, it } from 'vitest';
import { secretAskedFor } from './secrets';

const form = (properties: Record<string, unknown>): string => JSON.stringify({ type: 'object', properties });

describe('a form seems to ask for a secret', () => {
  it.each([
    ['by a name', form({ apiKey: { type: 'string' } }), ''],
    ['by a name with underscores', form({ access_token: { type: 'string' } }), ''],
    ['by a title', form({ a: { type: 'string', title: 'Your password' } }), ''],
    ['by a description', form({ a: { type: 'string', description: 'The card number on its front' } }), ''],
    ['by a format', form({ a: { type: 'string', format: 'password' } }), ''],
    ['by its message', form({ a: { type: 'string' } }), 'Enter your PIN to go on.'],
    ['inside a nested object', form({ a: { properties: { clientSecret: {} } } }), ''],
  ])('%s', (_, schema, message) => {
    expect(secretAskedFor(schema, message)).toBeTypeOf('string');
  });

  it.each([
    [
      'a party',
      form({ party_size: { title: 'Party size' }, email: { format: 'email' } }),
      'How many people?',
    ],
    ['a menu card', form({ menu_card: { type: 'string' } }), 'Which menu card?'],
    ['a keyboard', form({ keyboard: { type: 'string' } }), 'Which key of the piano, spinning or opinion?'],
    ['no JSON', '{oops', ''],
  ])('but not by %s', (_, schema, message) => {
    expect(secretAskedFor(schema, message)).toBeUndefined();
  });
});
