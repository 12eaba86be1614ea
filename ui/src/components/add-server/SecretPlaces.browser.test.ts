/** Secrets in arguments and URLs: what looks like one is offered to be kept, and a name asks for its value. */

import { beforeEach, describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-svelte';
import type { Endpoint } from '$lib/bindings/Endpoint';
import type { ServerDraft } from '$lib/bindings/ServerDraft';
import type { ServerView } from '$lib/bindings/ServerView';
import { clearSecrets } from '$lib/host/fake/secrets';
import { HostError, setHost } from '$lib/host/host';
import { axeProblems } from '$lib/testing/axe';
import '../../app.css';
import AddServer from './AddServer.svelte';

const saves: Record<string, unknown>[] = [];
let refusal: string | undefined;

beforeEach(() => {
  saves.length = 0;
  refusal = undefined;
  setHost({
    rpc: (name: string, args: Record<string, unknown>) => {
      if (name === 'clear_secrets') return Promise.resolve(clearSecrets(args['endpoint'] as Endpoint));
      if (name === 'read_paste')
        return Promise.resolve({ drafts: [tool, web], taken_for: 'mcpServers block', notes: [] });
      if (name === 'save_server') {
        if (refusal !== undefined)
          return Promise.reject(new HostError({ code: 'bad_input', message: refusal, hint: null }));
        saves.push(args);
        return Promise.resolve('new');
      }
      return Promise.resolve(null);
    },
    attach: () => Promise.resolve(() => undefined),
    popOut: () => Promise.resolve(),
    closeAsked: () => Promise.resolve(),
    pickFolders: () => Promise.resolve([]),
  });
});

const tool: ServerDraft = {
  name: 'tool',
  endpoint: { transport: 'stdio', command: 'tool', args: ['--api-key=abc'], env: [], folder: null },
  era: 'auto',
};
const web: ServerDraft = {
  name: 'web',
  endpoint: { transport: 'http', url: 'https://example.com/mcp?api_key=abc', headers: [] },
  era: 'auto',
};

function open(existing?: ServerDraft): void {
  const view =
    existing === undefined ? undefined : ({ id: 'old', name: existing.name, draft: existing } as ServerView);
  render(AddServer, {
    ...(view === undefined ? {} : { existing: view }),
    onsaved: () => undefined,
    oncancel: () => undefined,
  });
}

const args = page.getByRole('textbox', { name: 'Arguments' });
const url = page.getByRole('textbox', { name: 'URL', exact: true });
const keep = page.getByRole('button', { name: 'Keep in the keyring' });
const save = page.getByRole('button', { name: 'Save', exact: true });

describe('a secret in an argument', () => {
  it('is offered to be kept, and stands there by its name then', async () => {
    open(tool);
    await expect.element(keep).toBeVisible();
    await expect
      .element(page.getByRole('status').filter({ has: keep }))
      .toHaveTextContent(/“api-key”\s+looks like a secret/);
    expect(await axeProblems()).toEqual([]);
    await keep.click();
    await expect.element(args).toHaveValue('--api-key=${secret:api-key}');
    await expect.element(page.getByLabelText('Value of api-key')).toHaveValue('abc');
    await expect
      .element(page.getByText(/other programs of this computer can read its arguments/))
      .toBeVisible();
    await expect.element(keep).not.toBeInTheDocument();
    expect(await axeProblems()).toEqual([]);
    await save.click();
    expect(saves).toHaveLength(1);
    expect(saves[0]).toMatchObject({
      draft: { endpoint: { args: ['--api-key=${secret:api-key}'] } },
      secrets: [{ name: 'api-key', value: 'abc' }],
    });
  });

  it('may stay where it was put', async () => {
    open(tool);
    await expect.element(keep).toBeVisible();
    await save.click();
    expect(saves[0]).toMatchObject({ draft: { endpoint: { args: ['--api-key=abc'] } }, secrets: [] });
  });

  it('that is named by hand wants a value, which is said at its field', async () => {
    open(tool);
    await args.fill('--other=${secret:mine}');
    const value = page.getByLabelText('Value of mine');
    await save.click();
    await expect.element(page.getByText('Enter the value of the secret mine.')).toBeVisible();
    await expect.element(value).toHaveFocus();
    expect(saves).toEqual([]);
    await value.fill('hush');
    await save.click();
    expect(saves[0]).toMatchObject({ secrets: [{ name: 'mine', value: 'hush' }] });
  });

  it('that is kept already asks for nothing', async () => {
    open({
      ...tool,
      endpoint: {
        transport: 'stdio',
        command: 'tool',
        args: ['--k=${secret:tool/k}'],
        env: [],
        folder: null,
      },
    });
    await expect.element(args).toHaveValue('--k=${secret:tool/k}');
    await expect.element(page.getByLabelText('Value of tool/k')).not.toBeInTheDocument();
    await save.click();
    expect(saves[0]).toMatchObject({ secrets: [] });
  });

  it('of another server is refused at its place', async () => {
    open(tool);
    await args.fill('--other=${secret:mine}');
    await page.getByLabelText('Value of mine').fill('x');
    refusal = 'An argument refers to the secret mine, which is not this server’s and has no value.';
    await save.click();
    await expect.element(page.getByText(/refers to the secret mine/)).toBeVisible();
  });
});

describe('a secret in a URL', () => {
  it('is offered to be kept, and the URL is one still', async () => {
    open(web);
    await keep.click();
    await expect.element(url).toHaveValue('https://example.com/mcp?api_key=${secret:api_key}');
    await save.click();
    expect(saves[0]).toMatchObject({
      draft: { endpoint: { url: 'https://example.com/mcp?api_key=${secret:api_key}' } },
      secrets: [{ name: 'api_key', value: 'abc' }],
    });
  });

  it('may have a name that would end a part of it', async () => {
    open({
      ...web,
      endpoint: { transport: 'http', url: 'https://me:${secret:web/password}@example.com/mcp', headers: [] },
    });
    await save.click();
    expect(saves).toHaveLength(1);
  });
});

it('of a block that is added whole goes into the keyring', async () => {
  open();
  await page.getByRole('textbox', { name: /Paste a command/ }).fill('{}');
  await page.getByRole('button', { name: 'Fill in' }).click();
  await page.getByRole('button', { name: /Add (all|both)/ }).click();
  await expect.poll(() => saves.length).toBe(2);
  expect(saves[0]).toMatchObject({
    draft: { endpoint: { args: ['--api-key=${secret:api-key}'] } },
    secrets: [{ name: 'api-key', value: 'abc' }],
  });
});
