import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { FakeHost } from '$lib/host/fake/fake';
import { tellWish } from '$lib/host/host';
import type { PromptView } from '$lib/bindings/PromptView';
import type { App } from '$lib/state/app.svelte';
import { axeProblems } from '$lib/testing/axe';
import { openOn } from '$lib/testing/window';

const SCHEMA = JSON.stringify({
  type: 'object',
  properties: {
    email: { type: 'string', title: 'Email', format: 'email' },
    password: { type: 'string', title: 'Password' },
  },
  required: ['email'],
});

const open = async (host: FakeHost, ownPrompt?: number): Promise<App> => (await openOn(host, ownPrompt)).app;

function asking(...prompts: Partial<PromptView>[]): { host: FakeHost; ids: number[] } {
  const host = new FakeHost({ story: true, pace: 0 });
  host.prompts.all = [];
  const server = host.servers.all[0]?.id ?? '';
  const ids = prompts.map((change) =>
    host.prompts.ask(server, { ask: { kind: 'form', schema: SCHEMA }, ...change }),
  );
  return { host, ids };
}

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
    host.prompts.ask(app.servers[0]?.id ?? '', {});
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
    const [one] = host.prompts.all;
    if (one === undefined) throw new Error('no prompt');
    host.prompts.all = Array.from({ length: 10_000 }, (_, at) => ({ ...one, id: at + 1 }));
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
    expect(host.prompts.drafts.get(ids[0] ?? -1)).toContain('ana@');
    expect(host.prompts.drafts.get(ids[0] ?? -1)).not.toContain('hunter2');

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
    expect(host.prompts.closeAnswers).toEqual([false]);
    await expect.element(email).toHaveValue('ana@example.com');

    tellWish({ kind: 'close' });
    await dialog.getByRole('button', { name: 'Keep it in the main window' }).click();
    await expect.poll(() => host.prompts.closeAnswers).toEqual([false, true]);
    expect(answers(host)).toEqual([]);
    expect(host.prompts.drafts.get(ids[0] ?? -1)).toContain('ana@example.com');

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
    host.prompts.withdraw(ids[0] ?? -1);
    await expect.element(page.getByText('This prompt is over')).toBeVisible();
    tellWish({ kind: 'close' });
    await expect.poll(() => host.prompts.closeAnswers).toEqual([true]);
  });
});

describe('a sampling request', () => {
  const ask: PromptView['ask'] = { kind: 'sampling', messages: 4, tools: 1, max_tokens: '200' };

  it('is shown whole, as plain text, and marked as deprecated', async () => {
    const { host } = asking({ ask });
    await open(host);
    await expect.element(card).toHaveTextContent(/deprecated since 2026-07-28 \(SEP-2577\)/);
    await expect.element(card).toHaveTextContent(/call the API of a model provider/);
    for (const words of [
      'You are a waiter',
      '<b>Now!</b>',
      'Risotto costs 14 euros.',
      'look_up_price',
      '200 tokens',
      'sonnet, small',
      'thisServer',
      '12345678901234567890',
      'was not offered',
    ]) {
      await expect.element(card).toHaveTextContent(words);
    }
    expect(document.querySelector('.prompt b b')).toBe(null);
  });

  it('is answered with text and the use of a tool', async () => {
    const { host, ids } = asking({ ask });
    await open(host);
    const answer = card.getByRole('region', { name: 'Your answer' });
    await answer.getByRole('textbox', { name: 'Text of block 1' }).fill('Let me see.');
    await answer.getByRole('button', { name: '+ Tool use' }).click();
    const use = answer.getByRole('listitem', { name: 'Block 2: Tool use' });
    await expect.element(use.getByRole('combobox', { name: 'Tool' })).toHaveValue('look_up_price');
    // Nothing is sent while something is missing.
    await answer.getByRole('textbox', { name: 'Model' }).fill('');
    await answer.getByRole('button', { name: 'Send', exact: true }).click();
    await expect.element(answer.getByText(/The answer is not complete/)).toBeVisible();
    expect(answers(host)).toEqual([]);
    await use.getByRole('textbox', { name: /Dish/ }).fill('Risotto');
    await answer.getByRole('textbox', { name: 'Model' }).fill('me');
    await answer.getByRole('button', { name: 'Send', exact: true }).click();
    await expect
      .poll(() => answers(host))
      .toEqual([
        {
          prompt: ids[0],
          action: 'accept',
          content:
            '{"role":"assistant","content":[{"type":"text","text":"Let me see."},{"type":"tool_use","id":"call_2",' +
            '"name":"look_up_price","input":{"dish":"Risotto"}}],"model":"me","stopReason":"toolUse"}',
        },
      ]);
  });

  it('is answered with a picture', async () => {
    const { host } = asking({ ask });
    await open(host);
    const answer = card.getByRole('region', { name: 'Your answer' });
    await answer.getByRole('button', { name: 'Remove block 1' }).click();
    await answer.getByRole('button', { name: '+ Image' }).click();
    const file = new File([new Uint8Array([1, 2, 3])], 'dish.png', { type: 'image/png' });
    await answer.getByLabelText('File').upload(file);
    await expect.element(answer).toHaveTextContent('dish.png');
    await answer.getByRole('button', { name: 'Show JSON' }).click();
    await expect.element(answer).toHaveTextContent('"data":"AQID","mimeType":"image/png"');
  });

  it('keeps what was begun, and uses what was saved', async () => {
    const { host } = asking({ ask, operation_title: 'first' }, { ask, operation_title: 'second' });
    await open(host);
    const text = card.getByRole('textbox', { name: 'Text of block 1' });
    await text.fill('Risotto.');
    await card.getByRole('button', { name: 'Save this answer…' }).click();
    await card.getByRole('textbox', { name: 'Name of the saved answer' }).fill('risotto');
    await card.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.element(card).toHaveTextContent('Saved as risotto.');
    await text.fill('Something else');
    const queue = page.getByRole('navigation', { name: 'Prompts that wait' });
    await queue.getByRole('button', { name: /second/ }).click();
    await expect.element(text).toHaveValue('');
    await card.getByRole('combobox', { name: 'Saved answers' }).selectOptions('risotto');
    await expect.element(text).toHaveValue('Risotto.');
    await queue.getByRole('button', { name: /first/ }).click();
    await expect.element(text).toHaveValue('Something else');
  });

  it('is rejected with a reason', async () => {
    const { host, ids } = asking({ ask });
    await open(host);
    await card.getByRole('button', { name: 'Reject…' }).click();
    await expect.element(card).toHaveTextContent('its call ends here');
    await card.getByRole('textbox', { name: /Reason/ }).fill('Not for a model.');
    await card.getByRole('button', { name: 'Reject', exact: true }).click();
    await expect
      .poll(() => answers(host))
      .toEqual([{ prompt: ids[0], action: 'decline', content: 'Not for a model.' }]);
  });
});

describe('a request for roots', () => {
  const ask: PromptView['ask'] = { kind: 'roots', folders: ['file:///srv/menu', 'file:///gone'] };

  it('is answered with chosen folders, each looked at', async () => {
    const { host, ids } = asking({ ask });
    await open(host);
    const list = card.getByRole('list', { name: 'Folders' });
    await expect.element(list).toHaveTextContent('There is no such folder now.');
    await card.getByRole('button', { name: 'Leave out /gone' }).click();
    await card.getByRole('button', { name: 'Choose folders…' }).click();
    await expect.element(list).toHaveTextContent('/home/ana/projects/menu');
    await card.getByRole('textbox', { name: 'Path of a folder' }).fill('relative');
    await card.getByRole('button', { name: 'Add', exact: true }).click();
    await expect.element(card).toHaveTextContent('Type an absolute path');
    await card.getByRole('button', { name: 'Tell it 2 folders' }).click();
    await expect
      .poll(() => answers(host))
      .toEqual([
        {
          prompt: ids[0],
          action: 'accept',
          content:
            '{"roots":[{"uri":"file:///srv/menu","name":"menu"},{"uri":"file:///home/ana/projects/menu","name":"menu"}]}',
        },
      ]);
  });

  it('tells none where none is chosen, and can be remembered', async () => {
    const { host } = asking({ ask: { kind: 'roots', folders: [] } });
    const server = host.servers.all.find(({ draft }) => draft !== null);
    if (server === undefined) throw new Error('no server');
    host.prompts.all = host.prompts.all.map((one) => ({ ...one, server: server.id }));
    await open(host);
    await expect.element(card.getByRole('button', { name: 'Tell it that there are none' })).toBeVisible();
    await card.getByRole('button', { name: 'Choose folders…' }).click();
    await card.getByRole('checkbox', { name: /from now on/ }).click();
    await card.getByRole('button', { name: 'Tell it 1 folder' }).click();
    await expect.poll(() => answers(host)).toHaveLength(1);
    const saved = host.asked.find(({ name }) => name === 'save_server')?.args;
    expect(saved).toMatchObject({ draft: { options: { roots: ['file:///home/ana/projects/menu'] } } });
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
