import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { Arguments } from '$lib/host/host';
import type { FakeHost } from '$lib/host/fake/fake';
import { axeProblems } from '$lib/testing/axe';
import { openWindow } from '$lib/testing/window';

const row = (name: RegExp): ReturnType<typeof page.getByRole> => page.getByRole('row', { name }).first();
const details = page.getByRole('region', { name: 'Details' });
const editor = page.getByRole('dialog', { name: /^(Answer round|Send) / });
const parameters = editor.getByRole('textbox', { name: 'Parameters' });
const written = (): string => (parameters.element() as HTMLTextAreaElement).value;
const suggestions = editor.getByRole('listbox', { name: 'Suggestions of the schema' });

/** What was sent again, by the fake's own door. */
function watched(host: FakeHost): Arguments<'resend'>[] {
  const sent: Arguments<'resend'>[] = [];
  const rpc = host.rpc.bind(host);
  host.rpc = (name, args) => {
    if (name === 'resend') sent.push(args as Arguments<'resend'>);
    return rpc(name, args);
  };
  return sent;
}

describe('a request that is sent again', () => {
  it('is edited with the help of the schema', async () => {
    const { host } = await openWindow({ story: true });
    const sent = watched(host);
    await row(/^round 1 · id 4/).click();
    await details.getByRole('button', { name: 'Edit and send' }).click();
    await expect.poll(written).toMatch(/Trattoria Lucia/);
    expect(await axeProblems()).toEqual([]);

    // Keys of the tool's arguments, and those that the protocol has.
    await parameters.fill('{"name": "book_table", "arguments": {}, "_meta": {}}');
    const area = parameters.element() as HTMLTextAreaElement;
    area.focus();
    const at = area.value.indexOf('{}') + 1;
    area.setSelectionRange(at, at);
    await userEvent.keyboard('{Control>} {/Control}');
    await expect.element(suggestions).toBeVisible();
    await expect.element(suggestions.getByRole('option', { name: /^restaurant/ })).toBeVisible();
    await userEvent.keyboard('rest');
    await userEvent.keyboard('{Enter}Lucia');
    await expect.poll(written).toMatch(/"arguments": \{"restaurant": "Lucia"\}/);
    const meta = area.value.lastIndexOf('{}') + 1;
    area.setSelectionRange(meta, meta);
    await userEvent.keyboard('{Control>} {/Control}log');
    await expect.element(suggestions.getByRole('option', { name: /logLevel/ })).toBeVisible();
    await userEvent.keyboard('{Enter}{Control>} {/Control}');
    await expect.element(suggestions.getByRole('option', { name: 'debug' })).toBeVisible();
    await userEvent.keyboard('{ArrowDown}{Enter}');
    await expect.poll(written).toMatch(/"io\.modelcontextprotocol\/logLevel": "info"/);

    await editor.getByRole('button', { name: 'Send', exact: true }).click();
    await expect.element(editor).not.toBeInTheDocument();
    expect(sent).toHaveLength(1);
    expect(sent[0]?.changed).toBe(true);
    expect(JSON.parse(sent[0]?.request.params ?? '')).toMatchObject({
      arguments: { restaurant: 'Lucia' },
      _meta: { 'io.modelcontextprotocol/logLevel': 'info' },
    });
  });

  it('has other headers, or fewer', async () => {
    const { host } = await openWindow({ story: true });
    const sent = watched(host);
    await row(/^round 1 · id 4/).click();
    await details.getByRole('button', { name: 'Edit and send' }).click();
    await editor.getByText('HTTP headers').click();
    await editor.getByRole('textbox', { name: 'Value of mcp-method' }).fill('tools/list');
    await editor.getByRole('button', { name: 'Leave mcp-name out' }).click();
    await editor.getByRole('button', { name: 'Add a header' }).click();
    await editor.getByRole('textbox', { name: /^Name of header/ }).fill('X-More');
    await editor.getByRole('textbox', { name: 'Value of X-More' }).fill('1');
    await expect.element(editor.getByText('HTTP headers, 3 changed')).toBeVisible();
    await editor.getByRole('button', { name: 'Send', exact: true }).click();
    await expect.element(editor).not.toBeInTheDocument();
    expect(sent[0]?.headers).toEqual([
      { name: 'mcp-method', value: 'tools/list' },
      { name: 'mcp-name', value: null },
      { name: 'X-More', value: '1' },
    ]);
  });

  it('answers a round anew, and the branch stands beside the original', async () => {
    const { host, app } = await openWindow({ story: true });
    const sent = watched(host);
    await row(/^round 1 · id 4/).click();
    await details.getByRole('button', { name: 'Answer anew' }).click();
    await expect.element(page.getByRole('dialog', { name: 'Answer round 1 anew' })).toBeVisible();
    // The state is what the server gave, and each question has an answer to begin from.
    await expect.poll(written).toMatch(/"requestState": "v1.hmac.8sJ2kQx"/);
    await editor.getByRole('radio', { name: 'Decline' }).click();
    await expect.poll(written).toMatch(/"party": \{"action": "decline"\}/);
    await editor.getByRole('button', { name: 'Send', exact: true }).click();
    await expect.element(editor).not.toBeInTheDocument();
    expect(sent[0]).toMatchObject({ round: 2, changed: true });

    // The branch is selected and leads to its original; there it has a row of its own.
    const branch = app.timeline.selection.key;
    await expect.element(details.getByText(/round 1 answered anew/)).toBeVisible();
    await details.getByRole('button', { name: 'Compare' }).click();
    const comparison = page.getByRole('dialog', { name: 'The original and its branch' });
    await expect.element(comparison.getByText('How it ended')).toBeVisible();
    expect(await axeProblems()).toEqual([]);
    await userEvent.keyboard('{Escape}');
    await details.getByRole('button', { name: /^#\d+ tools\/call book_table/ }).click();
    await expect.element(row(/^round 1 answered anew #/)).toBeVisible();
    expect(app.timeline.selection.key).not.toBe(branch);
    await details.getByRole('button', { name: /^#\d+ tools\/call/ }).click();
    await expect.poll(() => app.timeline.selection.key).toBe(branch);
  });
});
