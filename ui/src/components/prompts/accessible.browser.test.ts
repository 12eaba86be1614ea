/** Each thing that a server can ask, as axe sees it: whole, in both themes, begun, refused and in error. */

import { beforeEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { plainLink, sampleLinks, samplePrompt } from '$lib/host/fake/links';
import type { PromptAsk } from '$lib/bindings/PromptAsk';
import { FakeHost } from '$lib/host/fake/fake';
import { axeProblems } from '$lib/testing/axe';
import { openOn } from '$lib/testing/window';
import restricted from '../form/model/restricted.json';
import { open } from './prompts.fixture';

/** Every construct of the restricted schema, in one form. */
const FORM = ((): string => {
  const written = new Set<string>();
  for (const { schema } of restricted) {
    const { properties } = JSON.parse(schema) as { properties?: Record<string, unknown> };
    for (const field of Object.values(properties ?? {})) written.add(JSON.stringify(field));
  }
  const fields = [...written].map((field, at) => `"field${at}":${field}`);
  return `{"type":"object","properties":{${fields.join(',')}}}`;
})();

const LINKS = sampleLinks(Date.now() * 1000).map(({ ask }) => ask);

/** A kind that has no example here does not compile. */
const ASKS: { [Kind in PromptAsk['kind']]: Record<string, Extract<PromptAsk, { kind: Kind }>> } = {
  form: {
    'every kind of field': { kind: 'form', schema: FORM },
    'a secret that is asked for': {
      kind: 'form',
      schema: '{"type":"object","properties":{"api_key":{"type":"string","title":"API key"}}}',
    },
    'a form without fields': { kind: 'form', schema: '{"type":"object","properties":{}}' },
    'a schema that cannot be read': { kind: 'form', schema: '{"type":"object","properties":7}' },
  },
  link: {
    'a plain link': { kind: 'link', link: plainLink(), is_first: true, problem: null },
    'a browser that does not start': {
      kind: 'link',
      link: plainLink({ warnings: ['Its port is 1.'] }),
      is_first: false,
      problem: 'The browser could not be started.',
    },
  },
  browser: {
    'the wait': {
      kind: 'browser',
      links: [plainLink()],
      asked_again: 0,
      next_micros: null,
      can_retry: false,
      note: null,
      problem: null,
      keeping: { kind: 'none' },
    },
    'a wait with all that can be said of it': {
      kind: 'browser',
      links: [plainLink(), plainLink({ url: 'https://other.example/', site: 'other.example' })],
      asked_again: 12,
      next_micros: Date.now() * 1000 + 60_000_000,
      can_retry: true,
      note: 'Roundtrip asks it no more by itself.',
      problem: 'The browser could not be started.',
      keeping: { kind: 'session_only', why: 'Secret Service is locked.' },
    },
  },
  sampling: {
    'a conversation': { kind: 'sampling', messages: 4, tools: 1, max_tokens: '200' },
  },
  roots: {
    folders: { kind: 'roots', folders: ['file:///srv/menu', 'file:///gone'] },
    'no folders': { kind: 'roots', folders: [] },
  },
  unsupported: {
    'something unknown': {
      kind: 'unsupported',
      json: '{"method":"x"}',
      reason: 'The method x is not known.',
    },
  },
  send_again: {
    'a repetition that is safe': { kind: 'send_again', is_safe: true, advice: 'It is safe.', attempts: 2 },
    'one that is not': { kind: 'send_again', is_safe: false, advice: 'It may do it twice.', attempts: 1 },
  },
  sign_in: {
    'a sign-in': { kind: 'sign_in', more: [], issuer: 'https://login.example.com' },
    'more permission': { kind: 'sign_in', more: ['files:write', 'admin'], issuer: null },
  },
};

const card = page.getByRole('article', { name: /^Prompt from/ });
const button = (name: string) => card.getByRole('button', { name, exact: true });

/** The whole page counts; a resizer's value is announced by the library that draws it. */
const problems = (): Promise<string[]> => axeProblems({ page: true, exclude: ['.resizer'] });

const show = (ask: PromptAsk): Promise<unknown> =>
  open((now) => [samplePrompt(1, 'Please answer.', ask, now), samplePrompt(2, 'And this.', ask, now)]);

describe.each(Object.entries(ASKS))('of the kind %s', (_, asks) => {
  it.each(Object.entries<PromptAsk>(asks))('axe finds nothing in %s', async (_name, ask) => {
    await show(ask);
    await expect.element(card).toBeVisible();
    expect(await problems()).toEqual([]);
  });
});

describe('axe finds nothing', () => {
  beforeEach(async () => {
    await page.viewport(1400, 900);
  });

  it.each(LINKS.map((ask, at) => [at, ask] as const))(
    'in sample %i of odd and refused links',
    async (_, ask) => {
      await show(ask);
      await expect.element(card).toBeVisible();
      expect(await problems()).toEqual([]);
    },
  );

  it('in a form that was sent with errors, and in its JSON', async () => {
    await show({
      kind: 'form',
      schema: JSON.stringify({
        type: 'object',
        required: ['mail'],
        properties: {
          mail: { type: 'string', format: 'email', description: 'Where to write to.' },
          size: { enum: ['s', 'm'] },
        },
      }),
    });
    const mail = card.getByRole('textbox', { name: /mail/ });
    await mail.fill('nobody');
    await button('Send').click();
    // What is wrong is said where a reader of the field hears it.
    await expect.element(mail).toHaveAttribute('aria-invalid', 'true');
    await expect.element(mail).toHaveFocus();
    expect(await problems()).toEqual([]);
    await button('Show JSON').click();
    expect(await problems()).toEqual([]);
  });

  it('in an answer for a model with every kind of block, and in its refusal', async () => {
    await show(ASKS.sampling['a conversation'] ?? never());
    for (const kind of ['+ Text', '+ Image', '+ Tool use']) await button(kind).click();
    expect(await problems()).toEqual([]);
    await button('Reject…').click();
    await expect.element(card.getByRole('textbox', { name: /Reason/ })).toHaveFocus();
    expect(await problems()).toEqual([]);
  });

  it('in the place of a prompt that has a window of its own', async () => {
    await open((now) => [
      { ...samplePrompt(1, 'Please answer.', { kind: 'form', schema: FORM }, now), popped_out: true },
    ]);
    await expect.element(card).toHaveTextContent('asks in a window of its own');
    expect(await problems()).toEqual([]);
  });

  it.each(Object.values(ASKS).flatMap((asks) => Object.entries<PromptAsk>(asks)))(
    'in a window of its own with %s',
    async (_name, ask) => {
      await page.viewport(500, 680);
      const host = new FakeHost({ story: true, pace: 0 });
      host.prompts.all = [samplePrompt(1, 'Please answer.', ask, Date.now() * 1000)];
      await openOn(host, 1);
      await expect.element(card).toBeVisible();
      expect(await axeProblems({ page: true })).toEqual([]);
    },
  );
});

describe('by keyboard alone', () => {
  it('the order of the focus is that of the page, from the first field to the answers', async () => {
    await show({
      kind: 'form',
      schema: JSON.stringify({
        type: 'object',
        properties: { first: { type: 'string' }, second: { type: 'boolean' }, third: { enum: ['a', 'b'] } },
      }),
    });
    (card.getByRole('textbox', { name: /first/ }).element() as HTMLElement).focus();
    const passed: Element[] = [];
    for (let presses = 0; presses < 30; presses += 1) {
      const at = document.activeElement;
      if (at === null || at.closest('article') === null) break;
      passed.push(at);
      await userEvent.keyboard('{Tab}');
    }
    const names = passed.map((one) => one.getAttribute('aria-label') ?? one.textContent.trim());
    for (const name of ['Send', 'Decline', 'Cancel']) expect(names).toContain(name);
    for (const [at, one] of passed.entries()) {
      const before = passed[at - 1];
      if (before === undefined) continue;
      const follows = before.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING;
      expect(follows, `${one.outerHTML.slice(0, 120)} comes after what precedes it`).not.toBe(0);
    }
  });
});

function never(): never {
  throw new Error('no such example');
}
