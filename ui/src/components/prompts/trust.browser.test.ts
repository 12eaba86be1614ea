import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { PromptView } from '$lib/bindings/PromptView';
import { tellWish } from '$lib/host/host';
import { open } from './prompts.fixture';

const OVERRIDE = '\u202e';
const card = page.getByRole('article', { name: /^Prompt from/ });

function asked(schema: object, change: Partial<PromptView> = {}): (nowMicros: number) => PromptView[] {
  return (nowMicros) => [
    {
      id: 7,
      server: 'booking',
      server_name: 'bookings',
      address: 'https://example.com/mcp',
      operation: 1,
      operation_title: 'tools/call book',
      round: 1,
      input_key: 'details',
      since_micros: nowMicros,
      lapses_micros: null,
      popped_out: false,
      message: 'Please.',
      ask: { kind: 'form', schema: JSON.stringify(schema) },
      ...change,
    },
  ];
}

const fields = (properties: object, required: string[] = []): object => ({
  type: 'object',
  properties,
  required,
});

describe('what a server writes', () => {
  it('is cut where it is long, and shown whole on demand', async () => {
    const message = `The beginning. ${'words and words '.repeat(400)}The end.`;
    await open(asked(fields({}), { message }));
    await expect.element(card).toHaveTextContent('The beginning.');
    await expect.element(card).not.toHaveTextContent('The end.');
    const all = card.getByRole('button', { name: 'Show all of the message' });
    await expect.element(all).toHaveTextContent(/^show all \(\d.\d{3} characters\)$/);
    await all.click();
    await expect.element(card).toHaveTextContent('The end.');
    await card.getByRole('button', { name: 'Show less of the message' }).click();
    await expect.element(card).not.toHaveTextContent('The end.');
  });

  it('is never shown beyond what anybody reads', async () => {
    await open(asked(fields({}), { message: 'x'.repeat(1_000_000) }));
    await card.getByRole('button', { name: 'Show all of the message' }).click();
    await expect.element(card).toHaveTextContent(/The other 980.000 characters are in the timeline/);
    expect(card.element().textContent.length).toBeLessThan(30_000);
  });

  it('has no hidden characters, wherever it stands', async () => {
    const hidden = (where: string): string => `${where}${OVERRIDE}\u0007`;
    const shown = (where: string): string => `${where}⟨U+202E⟩␇`;
    await open(
      asked(
        fields({
          [hidden('name')]: { type: 'string', description: hidden('description') },
          titled: { type: 'string', title: hidden('title'), default: hidden('default') },
          choice: { type: 'string', oneOf: [{ const: 'a', title: hidden('label') }] },
          many: {
            type: 'string',
            enum: [hidden('value'), ...Array.from({ length: 8 }, (_, at) => `value ${at}`)],
          },
          odd: { type: 'string', [hidden('keyword')]: 1, pattern: hidden('pattern') },
        }),
        { message: hidden('message'), server_name: hidden('server'), operation_title: hidden('call') },
      ),
    );
    for (const where of ['message', 'server', 'call', 'name', 'description', 'title', 'default', 'label']) {
      await expect.element(card).toHaveTextContent(shown(where));
    }
    await expect.element(card).toHaveTextContent(`Not understood, and ignored: ${shown('keyword')}`);
    await expect.element(card).toHaveTextContent(shown('pattern'));
    await card.getByRole('combobox').click();
    await expect.element(page.getByRole('option', { name: shown('value') })).toBeVisible();
    expect(document.body.textContent).not.toContain(OVERRIDE);
  });

  it('is cut in names and labels, too', async () => {
    const long = `first ${'long '.repeat(80)}last`;
    await open(
      asked(
        fields({
          named: { type: 'string', title: long },
          choice: { type: 'string', oneOf: [{ const: 'a', title: long.replace('first', 'choice') }] },
        }),
      ),
    );
    await expect.element(card).not.toHaveTextContent('last');
    await card.getByRole('button', { name: 'Show all of the choices' }).click();
    await expect.element(card.getByRole('radio', { name: /^choice long .*last$/ })).toBeInTheDocument();
  });
});

describe('many values of which several may be chosen', () => {
  it('are searched, and those that are chosen stay in sight', async () => {
    const values = Array.from({ length: 300 }, (_, at) => `value ${at}`);
    const { host } = await open(
      asked(fields({ many: { type: 'array', title: 'Many', items: { type: 'string', enum: values } } })),
    );
    const group = card.getByRole('group', { name: /Many/ });
    await expect.element(card).toHaveTextContent('100 of 300 shown');
    const search = card.getByRole('searchbox', { name: 'Search the values of Many' });
    await search.fill('value 299');
    await group.getByRole('checkbox', { name: 'value 299' }).click();
    await search.fill('value 7');
    await group.getByRole('checkbox', { name: 'value 7', exact: true }).click();
    await expect.element(group.getByRole('checkbox', { name: 'value 299' })).toBeChecked();
    await search.fill('nothing like it');
    await expect.element(card).toHaveTextContent('2 values chosen');
    await card.getByRole('button', { name: 'Send', exact: true }).click();
    const sent = (): unknown => host.asked.find(({ name }) => name === 'answer_prompt')?.args;
    await expect.poll(sent).toMatchObject({ content: '{"many":["value 299","value 7"]}' });
  });
});

describe('the focus', () => {
  it('goes to the first field of a prompt, and on through it in its order', async () => {
    await open(
      asked(
        fields({
          yes: { type: 'boolean', title: 'Agreed', default: true },
          word: { type: 'string', title: 'Word' },
          one: { type: 'string', title: 'One', enum: ['a', 'b'] },
        }),
      ),
    );
    tellWish({ kind: 'prompt', prompt: 7 });
    const yes = card.getByRole('radio', { name: 'Yes' });
    await expect.element(yes).toHaveFocus();
    await userEvent.keyboard('{Tab}');
    await expect.element(card.getByRole('textbox', { name: /Word/ })).toHaveFocus();
    await userEvent.keyboard('hello{Tab}');
    // The offer beside the field is gone once something is typed.
    const place = (): string => document.activeElement?.getAttribute('type') ?? '';
    expect(place()).toBe('radio');
    await userEvent.keyboard('{Tab}');
    await expect.element(card.getByRole('button', { name: 'Send', exact: true })).toHaveFocus();
    for (const name of ['Show JSON', 'Decline', 'Cancel']) {
      await userEvent.keyboard('{Tab}');
      await expect.element(card.getByRole('button', { name })).toHaveFocus();
    }
  });

  it('goes to the card where it has no field, and accepts nothing by a key', async () => {
    const link = {
      url: 'https://example.com/a',
      scheme: 'https://',
      user_info: '',
      host: 'example.com',
      decoded_host: null,
      is_loopback: false,
      subdomain: '',
      site: 'example.com',
      port: '',
      rest: '/a',
      refusal: null,
      warnings: [],
    };
    const { host } = await open(asked({}, { ask: { kind: 'link', link, is_first: true, problem: null } }));
    tellWish({ kind: 'prompt', prompt: 7 });
    await expect.element(card).toHaveFocus();
    await userEvent.keyboard('{Enter} ');
    expect(host.asked.some(({ name }) => name === 'answer_prompt')).toBe(false);
  });
});
