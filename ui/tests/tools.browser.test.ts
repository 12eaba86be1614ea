import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { CallResult } from '$lib/bindings/CallResult';
import type { ToolView } from '$lib/bindings/ToolView';
import { axeProblems } from '$lib/testing/axe';
import { openWindow } from '$lib/testing/window';

type Window = Awaited<ReturnType<typeof openWindow>>;

const tool = (name: RegExp): ReturnType<typeof page.getByRole> => page.getByRole('option', { name });
const call = (): ReturnType<typeof page.getByRole> =>
  page.getByRole('button', { name: 'Call', exact: true }).first();

async function openTools(preferences: object = {}): Promise<Window> {
  return openWindow({ story: true }, { tab: 'tools', rightOpen: false, ...preferences });
}

/** The list that the server is to have, made of its first tool. */
async function list(window: Window, changes: readonly Partial<ToolView>[]): Promise<void> {
  const { host, app } = window;
  const [first] = app.chosenTools?.entries ?? [];
  if (first === undefined) throw new Error('the story has changed');
  host.lists.manyTools = changes.map((change, index) => ({ ...first, index, ...change }));
  await app.host.rpc('refresh_tools', { server: app.chosen?.id ?? '' });
  await expect.poll(() => app.chosenTools?.entries.length).toBe(changes.length);
}

describe('the list of tools', () => {
  it('groups by prefix, and the keys pass over the headings', async () => {
    const window = await openTools();
    await list(window, [{ name: 'db_read' }, { name: 'echo' }, { name: 'db_write' }, { name: 'fs_list' }]);
    await page.getByRole('button', { name: 'Group by prefix' }).click();
    const names = (): (string | undefined)[] =>
      [...document.querySelectorAll('[role=listbox] :is(.heading b, .entry b)')].map(
        (one) => one.textContent,
      );
    await expect.poll(names).toEqual(['db', 'db_read', 'db_write', 'Others', 'echo', 'fs_list']);
    await tool(/db_write/).click();
    await userEvent.keyboard('{ArrowDown}');
    expect(window.app.chosenTools?.chosen).toBe('echo');
    await userEvent.keyboard('{ArrowUp}');
    expect(window.app.chosenTools?.chosen).toBe('db_write');
    await userEvent.keyboard('{Home}');
    expect(window.app.chosenTools?.chosen).toBe('db_read');
    await expect.element(tool(/fs_list/)).toHaveAttribute('aria-posinset', '4');
    expect(await axeProblems({ page: true, exclude: ['.resizer'] })).toEqual([]);
  });

  it('says what the server says of each, and why one cannot be called', async () => {
    const window = await openTools();
    await list(window, [
      { name: 'wipe', destructive: true, idempotent: true, open_world: true, task_support: 'optional' },
      { name: 'look', read_only: true, destructive: true, open_world: false },
      { name: 'odd', excluded: 'x-mcp-header is not a string' },
      { name: '', problems: ['The tool has no name.'] },
    ]);
    await tool(/wipe/).click();
    const pane = page.getByRole('region', { name: 'Tool wipe' });
    for (const badge of ['destructive', 'idempotent', 'open world'])
      await expect.element(pane.getByText(badge, { exact: true })).toBeVisible();
    // Whether a call may become a task is a matter of 2025-11-25.
    await expect.element(pane.getByText('may run as a task')).not.toBeInTheDocument();
    await tool(/look/).click();
    await expect.element(page.getByRole('region', { name: 'Tool look' })).toHaveTextContent('read-only');
    await expect
      .element(page.getByRole('region', { name: 'Tool look' }))
      .not.toHaveTextContent('destructive');
    await expect.element(tool(/odd/)).toHaveTextContent('not callable: x-mcp-header is not a string');
    await expect.element(tool(/no name/)).toHaveTextContent('not callable: The tool has no name.');
    await tool(/no name/).click();
    await expect.element(page.getByText('It cannot be called.')).toBeVisible();
    await expect.element(call()).not.toBeInTheDocument();
  });

  it('has the schema beside the form when it is wanted', async () => {
    await openTools();
    await page.getByRole('button', { name: 'Schema', exact: true }).click();
    const schema = page.getByRole('region', { name: 'Input schema' });
    await expect.element(schema).toBeVisible();
    expect(schema.element().getBoundingClientRect().left).toBeGreaterThan(
      call().element().getBoundingClientRect().right,
    );
  });
});

describe('a destructive tool', () => {
  it('is asked about, and sent only when the person says so', async () => {
    const window = await openTools();
    await list(window, [{ name: 'wipe', destructive: true, input_schema: '{"type":"object"}' }]);
    const sent = (): number => window.host.asked.filter((one) => one.name === 'call_tool').length;
    await call().click();
    const dialog = page.getByRole('dialog', { name: 'Call wipe?' });
    await expect.element(dialog.getByRole('button', { name: 'Do not call it' })).toHaveFocus();
    await userEvent.keyboard('{Enter}');
    await expect.element(dialog).not.toBeInTheDocument();
    expect(sent()).toBe(0);
    await call().click();
    await dialog.getByRole('checkbox', { name: /Do not ask again/ }).click();
    await dialog.getByRole('button', { name: 'Call', exact: true }).click();
    await expect.poll(sent).toBe(1);
    await expect.element(page.getByRole('status').filter({ hasText: 'complete' }).first()).toBeVisible();
    await call().click();
    await expect.poll(sent).toBe(2);
  });
});

describe('calls that are kept', () => {
  it('are saved under a name, filled in again with their secrets, removed and brought back', async () => {
    const window = await openTools();
    const schema = JSON.stringify({
      type: 'object',
      properties: { city: { type: 'string' }, api_key: { type: 'string' } },
    });
    await list(window, [{ name: 'lookup', input_schema: schema }]);
    await page.getByRole('textbox', { name: 'city' }).fill('Lucca');
    await page.getByLabelText('api_key').fill('k-123');
    await page.getByRole('button', { name: 'Save call…' }).click();
    await page.getByRole('textbox', { name: 'Name of the call' }).fill('Lucca, with key');
    await userEvent.keyboard('{Enter}');
    await page.getByText(/^Saved calls and history/).click();
    const saved = page.getByRole('list', { name: 'Saved calls' });
    await expect.element(saved).toHaveTextContent('{"city":"Lucca"}');
    await expect.element(saved).toHaveTextContent('1 secret in the keyring');
    await expect.element(saved).not.toHaveTextContent('k-123');

    await page.getByRole('textbox', { name: 'city' }).fill('Pisa');
    await saved
      .getByRole('button', { name: /Lucca, with key/ })
      .first()
      .click();
    await expect.element(page.getByRole('textbox', { name: 'city' })).toHaveValue('Lucca');
    await expect.element(page.getByLabelText('api_key')).toHaveValue('k-123');

    // One that was made is in the history without its secret.
    await call().click();
    const history = page.getByRole('list', { name: 'History' });
    await expect.element(history).toHaveTextContent(/complete/);
    await expect.element(history).toHaveTextContent('1 secret not kept');
    await history.getByRole('button', { name: 'Call again' }).click();
    await expect.element(page.getByText(/was not kept: fill it in/)).toBeVisible();
    expect(window.host.asked.filter((one) => one.name === 'call_tool')).toHaveLength(1);

    await page.getByRole('button', { name: 'Export all…' }).click();
    await expect.element(page.getByText(/Saved without secrets as .*lookup calls\.json/)).toBeVisible();
    const [exported] = window.host.savedAs;
    expect(exported).toMatchObject({ name: 'lookup calls.json', content: { kind: 'text' } });
    expect(JSON.stringify(exported)).toContain('Lucca');
    expect(JSON.stringify(exported)).not.toContain('k-123');

    await saved.getByRole('button', { name: 'More for Lucca, with key' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await expect.element(saved).not.toBeInTheDocument();
    await page.getByRole('button', { name: /^Undo/ }).click();
    await expect.element(saved).toHaveTextContent('Lucca, with key');
    expect(await axeProblems({ page: true, exclude: ['.resizer'] })).toEqual([]);
  });
});

describe('results', () => {
  /** Calls the tool, which ends with this. */
  async function end(window: Window, result: CallResult): Promise<void> {
    window.host.calls.nextResult = result;
    await call().click();
  }
  const structured = (json: string): CallResult => ({
    kind: 'tool',
    is_error: false,
    content: [],
    structured: json,
    problems: [],
    event: null,
  });
  const failed = (message: string): CallResult => ({
    kind: 'failed',
    code: -32602,
    error: { code: 'failed', message, hint: null },
    data: null,
  });

  it('that are a list of flat objects are a table', async () => {
    const window = await openTools();
    await list(window, [{ name: 'rows', input_schema: '{"type":"object"}' }]);
    await end(window, structured('{"rows":[{"id":12345678901234567890,"name":"a"},{"id":2}]}'));
    const table = page.getByRole('region', { name: 'Structured content' });
    await expect.element(table.getByRole('columnheader', { name: 'name' })).toBeVisible();
    await expect.element(table.getByRole('cell', { name: '—' })).toBeVisible();
    await page.getByRole('radio', { name: 'JSON' }).click();
    await expect
      .element(page.getByRole('group', { name: 'Structured content' }))
      .toHaveTextContent('12345678901234567890');
  });

  it('are checked against the output schema, where they did not fail', async () => {
    const window = await openTools();
    const schema = '{"type":"object","required":["total"],"properties":{"total":{"type":"integer"}}}';
    await list(window, [{ name: 'sum', input_schema: '{"type":"object"}', output_schema: schema }]);
    await end(window, structured('{"sum":1}'));
    await expect
      .element(page.getByText('The structured content is not as the output schema says'))
      .toBeVisible();
    await end(window, { ...structured(''), structured: null } as CallResult);
    await expect.element(page.getByText('No structured content.', { exact: true })).toBeVisible();
    await end(window, {
      kind: 'tool',
      is_error: true,
      content: [{ kind: 'text', text: 'The kitchen is closed.' }],
      structured: '{"sum":1}',
      problems: [],
      event: null,
    });
    await expect.element(page.getByText('The kitchen is closed.')).toBeVisible();
    await expect.element(page.getByText(/output schema says/)).not.toBeInTheDocument();
  });

  it('of code −32602 tell an unknown tool from bad arguments', async () => {
    const window = await openTools();
    await list(window, [{ name: 'gone', input_schema: '{"type":"object"}' }]);
    await end(window, failed('Unknown tool: gone'));
    await expect.element(page.getByText('The server does not know this tool (error −32602)')).toBeVisible();
    await end(window, failed('"city" is required'));
    await expect.element(page.getByText('The server refuses the arguments (error −32602)')).toBeVisible();
  });

  it('before are kept, opened again and compared with the newest', async () => {
    const window = await openTools();
    await list(window, [{ name: 'list', input_schema: '{"type":"object"}' }]);
    const text = (words: string): CallResult => ({
      kind: 'tool',
      is_error: false,
      content: [{ kind: 'text', text: words }],
      structured: null,
      problems: [],
      event: null,
    });
    await end(window, text('a\nold\nc'));
    await expect.element(page.getByText('a old c')).toBeVisible();
    await end(window, text('a\nnew\nc'));
    await page.getByText('Results before (1)').click();
    await page.getByRole('button', { name: 'Compare with the newest' }).click();
    const dialog = page.getByRole('dialog', { name: 'Two results compared' });
    await expect.element(dialog.getByText('1 line differs.')).toBeVisible();
    await expect.element(dialog.getByRole('deletion')).toHaveTextContent('old');
    await expect.element(dialog.getByRole('insertion')).toHaveTextContent('new');
    expect(await axeProblems({ page: true, exclude: ['.resizer'] })).toEqual([]);
  });

  it('that link to a resource open it in their place', async () => {
    const window = await openTools();
    await list(window, [{ name: 'link', input_schema: '{"type":"object"}' }]);
    await end(window, {
      kind: 'tool',
      is_error: false,
      content: [
        { kind: 'resource_link', uri: 'menu://today', name: 'Today', description: null, mime_type: null },
      ],
      structured: null,
      problems: [],
      event: null,
    });
    await page.getByRole('button', { name: 'Open here' }).click();
    await expect.element(page.getByRole('heading', { name: 'What is at menu://today' })).toBeVisible();
  });
});
