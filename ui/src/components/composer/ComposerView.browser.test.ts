import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { Arguments } from '$lib/host/host';
import { axeProblems } from '$lib/testing/axe';
import { openWindow } from '$lib/testing/window';

type Window = Awaited<ReturnType<typeof openWindow>>;

const message = page.getByRole('textbox', { name: 'The message' });
const send = page.getByRole('button', { name: /^Send as it is/ });
const sent = page.getByRole('list', { name: 'Sent messages' });

async function open(): Promise<Window> {
  const window = await openWindow({ story: true }, { tab: 'composer', rightOpen: false });
  // The first one brings the code of all pages.
  await expect.element(message, { timeout: 30_000 }).toBeVisible();
  return window;
}

function composed({ host }: Window): Arguments<'compose'>[] {
  return host.asked.flatMap(({ name, args }) => (name === 'compose' ? [args as Arguments<'compose'>] : []));
}

describe('the composer', { timeout: 60_000 }, () => {
  it('begins with a method of the revision, sends what stands there and shows the reply', async () => {
    const window = await open();
    await page.getByRole('combobox', { name: 'Method' }).fill('tools/list');
    await userEvent.keyboard('{Enter}');
    await expect
      .poll(() => (message.element() as HTMLTextAreaElement).value)
      .toContain('io.modelcontextprotocol/protocolVersion');
    await expect.element(page.getByText('A request: its reply is awaited.')).toBeVisible();
    await send.click();
    await expect.element(sent).toHaveTextContent(/tools\/list\s*answered/);
    await expect.element(sent).toHaveTextContent('"result": {}');
    expect(composed(window)[0]?.text).toContain('"method": "tools/list"');
    expect(await axeProblems({ page: true, exclude: ['.resizer'] })).toEqual([]);
  });

  it('warns of what is wrong and sends it all the same, to the letter', async () => {
    const window = await open();
    const text = '{"jsonrpc": nonsense,\n\t"id":';
    await message.fill(text);
    await expect.element(page.getByText(/^This is not valid JSON/)).toBeVisible();
    await send.click();
    await expect.element(sent).toHaveTextContent(/error -32700/);
    expect(composed(window)[0]?.text).toBe(text);
    await message.fill('{"jsonrpc":"2.0","method":"notifications/x"}');
    await userEvent.keyboard('{Control>}{Enter}{/Control}');
    await expect.element(sent).toHaveTextContent(/notifications\/x\s*sent/);
  });

  it('sends headers of its own, over HTTP alone, and without the usual ones where they are not wanted', async () => {
    const window = await open();
    await message.fill('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByRole('textbox', { name: 'Name of header 1' }).fill('Mcp-Method');
    await page.getByRole('textbox', { name: 'Value of header 1' }).fill('other');
    await page.getByRole('checkbox', { name: /headers that the revision wants/ }).click();
    await send.click();
    await expect
      .poll(() => composed(window)[0])
      .toMatchObject({ usual_headers: false, headers: [{ name: 'Mcp-Method', value: 'other' }] });
    const stdio = window.app.servers.find(({ transport }) => transport === 'stdio');
    window.app.choose(stdio?.id ?? '');
    await expect.element(page.getByRole('group', { name: 'HTTP headers' })).not.toBeInTheDocument();
  });

  it('suggests methods and tools while one writes', async () => {
    await open();
    await message.click();
    await userEvent.keyboard('{{"meth');
    const list = page.getByRole('listbox', { name: 'Suggestions of the schema' });
    await expect.element(list).toHaveTextContent('method');
    await userEvent.keyboard('{Enter}');
    await expect.element(list).toHaveTextContent('tools/call');
    expect(await axeProblems({ page: true, exclude: ['.resizer'] })).toEqual([]);
    await userEvent.keyboard('tools/c{Enter}');
    await expect
      .poll(() => (message.element() as HTMLTextAreaElement).value)
      .toContain('"method": "tools/call"');
    await userEvent.keyboard('{Escape}');
    await expect.element(list).not.toBeInTheDocument();
  });

  it('over stdio says what becomes of line breaks, and keeps them where one insists', async () => {
    const window = await open();
    const stdio = window.app.servers.find(
      ({ transport, connection }) => transport === 'stdio' && connection.phase === 'connected',
    );
    window.app.choose(stdio?.id ?? '');
    const text = '{"jsonrpc":"2.0",\n"id":1,"method":"ping"}';
    await message.fill(text);
    await expect
      .element(page.getByText(/each line break is sent as a space, which means the same/))
      .toBeVisible();
    await page.getByRole('checkbox', { name: 'Send line breaks as they are written' }).click();
    await expect.element(page.getByText(/gets several lines/)).toBeVisible();
    await send.click();
    await expect.poll(() => composed(window)[0]).toMatchObject({ text, keeps_breaks: true });
  });
});
