import { mount, unmount } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import '../../app.css';
import { FakeHost } from '$lib/host/fake/fake';
import { setHost, tellWish } from '$lib/host/host';
import type { PromptView } from '$lib/bindings/PromptView';
import { App } from '$lib/state/app.svelte';
import { axeProblems } from '$lib/testing/axe';
import Root from '../../Root.svelte';

let close: (() => Promise<void>) | undefined;

const SCHEMA = JSON.stringify({
  type: 'object',
  properties: {
    email: { type: 'string', title: 'Email', format: 'email' },
    password: { type: 'string', title: 'Password' },
  },
  required: ['email'],
});

async function open(host: FakeHost, ownPrompt?: number): Promise<App> {
  await close?.();
  document.body.innerHTML = '<div id="app"></div>';
  const target = document.querySelector('#app');
  if (target === null) throw new Error('no target');
  setHost(host);
  const app = new App(host, ownPrompt);
  await app.preferences.load();
  const root = mount(Root, { target, props: { app } });
  close = () => unmount(root);
  await expect.poll(() => app.ready).toBe(true);
  return app;
}

function asking(...prompts: Partial<PromptView>[]): { host: FakeHost; ids: number[] } {
  const host = new FakeHost({ story: true, pace: 0 });
  host.prompts = [];
  const server = host.servers[0]?.id ?? '';
  const ids = prompts.map((change) => host.ask(server, { ask: { kind: 'form', schema: SCHEMA }, ...change }));
  return { host, ids };
}

afterEach(async () => {
  await close?.();
  close = undefined;
  sessionStorage.clear();
});

const card = page.getByRole('article', { name: /^Prompt from/ });
const email = card.getByRole('textbox', { name: /Email/ });
const answers = (host: FakeHost): unknown[] =>
  host.asked.filter(({ name }) => name === 'answer_prompt').map(({ args }) => args);

describe('several prompts', () => {
  it('are ordered and labelled, and switching keeps what was begun', async () => {
    const { host, ids } = asking({ operation_title: 'first' }, { operation_title: 'second' }, {});
    const app = await open(host);
    const queue = page.getByRole('navigation', { name: 'Prompts that wait' });
    await expect.element(queue).toHaveTextContent('1 of 3');
    await email.fill('ana@');
    await queue.getByRole('button', { name: /second/ }).click();
    await expect.element(queue).toHaveTextContent('2 of 3');
    await expect.element(email).toHaveValue('');
    await email.fill('second@example.com');
    await queue.getByRole('button', { name: 'Prompt before' }).click();
    await expect.element(email).toHaveValue('ana@');
    await expect.element(queue.getByRole('button', { name: 'Prompt before' })).toBeDisabled();

    // Answering one shows the one after it, as it was left.
    await email.fill('ana@example.com');
    await card.getByRole('button', { name: 'Send', exact: true }).click();
    await expect.element(queue).toHaveTextContent('1 of 2');
    await expect.element(email).toHaveValue('second@example.com');
    expect(answers(host)).toEqual([
      { prompt: ids[0], action: 'accept', content: '{"email":"ana@example.com"}' },
    ]);
    // One that comes meanwhile does not take its place.
    host.ask(app.servers[0]?.id ?? '', {});
    await expect.element(queue).toHaveTextContent('1 of 3');
    await expect.element(email).toHaveValue('second@example.com');
  });

  it('are reached from the status bar and by a notification', async () => {
    const { host, ids } = asking({}, { ask: { kind: 'form', schema: SCHEMA }, operation_title: 'second' });
    const app = await open(host);
    app.preferences.set({ rightOpen: false });
    await expect.element(card).not.toBeInTheDocument();
    await page.getByRole('button', { name: '2 prompts waiting' }).click();
    await expect.element(card).toBeVisible();
    app.preferences.set({ rightOpen: false });
    tellWish({ kind: 'prompt', prompt: ids[1] ?? -1 });
    await expect.element(card).toHaveTextContent('second');
    await expect.poll(() => document.activeElement?.closest('article')).not.toBe(null);
  });

  it('ten thousand are a list of which few are drawn', async () => {
    const { host } = asking({});
    const [one] = host.prompts;
    if (one === undefined) throw new Error('no prompt');
    host.prompts = Array.from({ length: 10_000 }, (_, at) => ({ ...one, id: at + 1 }));
    await open(host);
    const queue = page.getByRole('navigation', { name: 'Prompts that wait' });
    await expect.element(queue).toHaveTextContent('1 of 10000');
    await expect.element(queue).toHaveTextContent('and 9960 more');
    expect(document.querySelectorAll('.queue li').length).toBe(40);
  });

  it('Escape loses nothing', async () => {
    const { host } = asking({});
    await open(host);
    await email.fill('ana@');
    await userEvent.keyboard('{Escape}{Escape}');
    await expect.element(email).toHaveValue('ana@');
    expect(answers(host)).toEqual([]);
  });

  it('say until when the server waits', async () => {
    const { host } = asking({ lapses_micros: Date.now() * 1000 + 600_000_000 });
    await open(host);
    await expect.element(card).toHaveTextContent(/lapses in (9 min|10 min)/);
  });
});

describe('a window of its own', () => {
  it('goes on with what was begun, without what looks like a secret', async () => {
    const { host, ids } = asking({});
    await open(host);
    await email.fill('ana@');
    await card
      .getByRole('textbox', { name: /Password/ })
      .or(card.getByLabelText(/Password/))
      .first()
      .fill('hunter2');
    await card.getByRole('button', { name: 'Open in a window of its own' }).click();
    await expect.element(card).toHaveTextContent('asks in a window of its own');
    expect(host.drafts.get(ids[0] ?? -1)).toContain('ana@');
    expect(host.drafts.get(ids[0] ?? -1)).not.toContain('hunter2');

    await open(host, ids[0]);
    await expect.element(email).toHaveValue('ana@');
    await expect.element(page.getByRole('navigation', { name: 'Servers' })).not.toBeInTheDocument();
    expect(await axeProblems({ page: true })).toEqual([]);
  });

  it('asks before it is closed: go on, keep it open, or cancel', async () => {
    const { host, ids } = asking({});
    await open(host, ids[0]);
    await email.fill('ana@example.com');
    tellWish({ kind: 'close' });
    const dialog = page.getByRole('dialog', { name: 'Cancel this prompt?' });
    await expect.element(dialog).toBeVisible();
    expect(await axeProblems({ page: true })).toEqual([]);
    // Escape is no answer.
    await userEvent.keyboard('{Escape}');
    await expect.element(dialog).not.toBeInTheDocument();
    expect(host.closeAnswers).toEqual([false]);
    await expect.element(email).toHaveValue('ana@example.com');

    tellWish({ kind: 'close' });
    await dialog.getByRole('button', { name: 'Keep it in the main window' }).click();
    await expect.poll(() => host.closeAnswers).toEqual([false, true]);
    expect(answers(host)).toEqual([]);
    expect(host.drafts.get(ids[0] ?? -1)).toContain('ana@example.com');

    tellWish({ kind: 'close' });
    await dialog.getByRole('button', { name: 'Cancel the prompt' }).click();
    await expect.poll(() => answers(host)).toEqual([{ prompt: ids[0], action: 'cancel', content: null }]);
    await expect.element(page.getByText('This prompt is over')).toBeVisible();
    await expect.element(dialog).not.toBeInTheDocument();
  });

  it('says when its prompt is over, and then closes without a question', async () => {
    const { host, ids } = asking({});
    await open(host, ids[0]);
    await expect.element(card).toBeVisible();
    host.withdraw(ids[0] ?? -1);
    await expect.element(page.getByText('This prompt is over')).toBeVisible();
    tellWish({ kind: 'close' });
    await expect.poll(() => host.closeAnswers).toEqual([true]);
  });
});

describe('a page that is loaded anew', () => {
  it('goes on with what was begun', async () => {
    const { host } = asking({});
    await open(host);
    await email.fill('ana@');
    window.dispatchEvent(new Event('pagehide'));
    await open(host);
    await expect.element(email).toHaveValue('ana@');
  });
});

describe('axe finds nothing in', () => {
  const kinds: Record<string, PromptView['ask']> = {
    form: { kind: 'form', schema: SCHEMA },
    'something unknown': {
      kind: 'unsupported',
      json: '{"method":"x"}',
      reason: 'The method x is not known.',
    },
    'a question to send again': { kind: 'send_again', is_safe: true, advice: 'It is safe.', attempts: 2 },
  };
  it.each(Object.entries(kinds))('%s', async (_, ask) => {
    const { host } = asking({ ask }, { ask });
    await open(host);
    await expect.element(card).toBeVisible();
    expect(await axeProblems({ page: true, exclude: ['.resizer'] })).toEqual([]);
  });
});
