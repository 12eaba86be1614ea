/** Adding a server as a person does it. */

import axe from 'axe-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { render } from 'vitest-browser-svelte';
import { DEFAULT_SERVER_OPTIONS } from '$lib/bindings/DefaultServerOptions';
import type { PasteReading } from '$lib/bindings/PasteReading';
import type { ServerDraft } from '$lib/bindings/ServerDraft';
import type { ServerView } from '$lib/bindings/ServerView';
import type { Endpoint } from '$lib/bindings/Endpoint';
import { clearSecrets } from '$lib/host/fake/secrets';
import { HostError, setHost } from '$lib/host/host';
import '../../app.css';
import AddServer from './AddServer.svelte';

const calls: [string, Record<string, unknown>][] = [];
let reading: PasteReading | undefined;
let refusal: string | undefined;
let saved: string | undefined;
let cancelled = 0;

beforeEach(() => {
  calls.length = 0;
  reading = undefined;
  refusal = undefined;
  saved = undefined;
  cancelled = 0;
  const host = {
    rpc: (name: string, args: Record<string, unknown>) => {
      calls.push([name, args]);
      const refuse = (message: string) =>
        Promise.reject(new HostError({ code: 'bad_input', message, hint: 'Try again.' }));
      if (name === 'read_paste')
        return reading === undefined ? refuse('This is none of the three.') : Promise.resolve(reading);
      if (name === 'save_server') return refusal === undefined ? Promise.resolve('new') : refuse(refusal);
      if (name === 'clear_secrets') return Promise.resolve(clearSecrets(args['endpoint'] as Endpoint));
      return Promise.resolve(null);
    },
    attach: () => Promise.resolve(() => undefined),
    popOut: () => Promise.resolve(),
    closeAsked: () => Promise.resolve(),
    pickFolders: () => Promise.resolve([]),
  };
  setHost(host);
});

function open(existing?: ServerDraft): void {
  const view =
    existing === undefined ? undefined : ({ id: 'old', name: existing.name, draft: existing } as ServerView);
  render(AddServer, {
    ...(view === undefined ? {} : { existing: view }),
    onsaved: (id: string) => (saved = id),
    oncancel: () => (cancelled += 1),
  });
}

const draftSaved = (): unknown => calls.find(([name]) => name === 'save_server')?.[1]['draft'];

const files: ServerDraft = {
  name: 'files',
  endpoint: {
    transport: 'stdio',
    command: 'npx',
    args: ['-y', 'server-files', '/My Documents'],
    env: [{ name: 'API_KEY', value: 'k', secret: true }],
    folder: null,
  },
  era: 'auto',
};
const web: ServerDraft = {
  name: 'web',
  endpoint: { transport: 'http', url: 'https://example.com/mcp', headers: [] },
  era: 'auto',
};

describe('typing', () => {
  it('a command, saved and connected with Enter', async () => {
    open();
    await page.getByLabelText('Command', { exact: true }).fill('node');
    await page.getByLabelText('Arguments').fill('server.js\n--root\n/a b');
    await expect.element(page.getByText("node server.js --root '/a b'")).toBeVisible();
    await page.getByLabelText('Folder').fill('/srv');
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => saved).toBe('new');
    expect(draftSaved()).toEqual({
      name: 'server',
      endpoint: {
        transport: 'stdio',
        command: 'node',
        args: ['server.js', '--root', '/a b'],
        env: [],
        folder: '/srv',
      },
      era: 'auto',
      options: DEFAULT_SERVER_OPTIONS,
    });
    expect(calls.map(([name]) => name)).toEqual(['save_server', 'connect']);
  });

  it('a URL with a secret header, only saved', async () => {
    open();
    await page.getByRole('radio', { name: 'URL (HTTP)' }).click();
    await page.getByLabelText('URL', { exact: true }).fill('https://example.com/mcp');
    await page.getByRole('button', { name: 'Add header' }).click();
    await userEvent.keyboard('Authorization');
    await expect
      .element(page.getByRole('checkbox', { name: 'Keep Authorization as a secret' }))
      .toBeChecked();
    await userEvent.tab();
    await userEvent.keyboard('Bearer abc');
    await expect
      .element(page.getByLabelText('Value of Authorization', { exact: true }))
      .toHaveAttribute('type', 'password');
    await page.getByRole('radio', { name: /^Legacy/ }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => saved).toBe('new');
    expect(draftSaved()).toEqual({
      name: 'example.com',
      endpoint: {
        transport: 'http',
        url: 'https://example.com/mcp',
        headers: [{ name: 'Authorization', value: 'Bearer abc', secret: true }],
      },
      era: 'legacy',
      options: DEFAULT_SERVER_OPTIONS,
    });
    expect(calls.map(([name]) => name)).toEqual(['save_server']);
  });

  it('a look at the other transport loses nothing', async () => {
    open();
    await page.getByLabelText('Command', { exact: true }).fill('node');
    await page.getByRole('radio', { name: 'URL (HTTP)' }).click();
    await page.getByRole('radio', { name: 'Command (stdio)' }).click();
    await expect.element(page.getByLabelText('Command', { exact: true })).toHaveValue('node');
  });

  it('a whole line as the command is noticed, and split on demand', async () => {
    open();
    reading = { drafts: [files], taken_for: 'shell command', notes: [] };
    await page.getByLabelText('Command', { exact: true }).fill('npx -y server-files');
    await page.getByRole('button', { name: 'Split it into arguments' }).click();
    await expect.element(page.getByLabelText('Command', { exact: true })).toHaveValue('npx');
    await expect.element(page.getByLabelText('Arguments')).toHaveValue('-y\nserver-files\n/My Documents');
  });
});

describe('pasting', () => {
  it('fills the form and says what it was taken for', async () => {
    open();
    reading = { drafts: [files], taken_for: 'shell command', notes: ['“&&” was left out.'] };
    await page.getByLabelText(/^Paste/).fill('npx …');
    await userEvent.keyboard('{Enter}');
    await expect
      .element(page.getByRole('note'))
      .toHaveTextContent(/^Read as a shell command; the form below/);
    await expect.element(page.getByText('“&&” was left out.')).toBeVisible();
    await expect.element(page.getByLabelText('Name', { exact: true })).toHaveValue('files');
    await page.getByRole('button', { name: 'Save and connect' }).click();
    await expect.poll(draftSaved).toEqual({ ...files, options: DEFAULT_SERVER_OPTIONS });
  });

  it('of several servers offers each, and all', async () => {
    open();
    reading = { drafts: [files, web], taken_for: 'mcpServers block', notes: [] };
    await page.getByLabelText(/^Paste/).fill('{"mcpServers":{}}');
    await page.getByRole('button', { name: 'Fill in' }).click();
    await expect.element(page.getByText('Read as an mcpServers block with 2 servers.')).toBeVisible();
    await page.getByRole('radio', { name: 'web' }).click();
    await expect.element(page.getByLabelText('Name', { exact: true })).toHaveValue('web');
    await page.getByRole('button', { name: 'Add all 2' }).click();
    await expect.poll(() => saved).toBe('new');
    expect(calls.filter(([name]) => name === 'save_server').map(([, args]) => args['draft'])).toEqual([
      files,
      web,
    ]);
  });

  it('nonsense is refused with what to try', async () => {
    open();
    await page.getByLabelText(/^Paste/).fill('???');
    await page.getByRole('button', { name: 'Fill in' }).click();
    await expect
      .element(page.getByRole('alert'))
      .toHaveTextContent(/This is none of the three\.\s*What to try: Try again\./);
    await expect.element(page.getByLabelText(/^Paste/)).toHaveValue('???');
  });
});

describe('errors', () => {
  it('stand at the field, which is focused; nothing is sent', async () => {
    open();
    await page.getByRole('button', { name: 'Save and connect' }).click();
    const command = page.getByLabelText('Command', { exact: true });
    await expect.element(command).toHaveFocus();
    await expect
      .element(command)
      .toHaveAccessibleDescription('Enter the program to start, such as npx or a path.');
    expect(calls).toEqual([]);
    await command.fill('x');
    await expect.element(command).not.toHaveAttribute('aria-invalid');
  });

  it('of the core stand at the field that they are about', async () => {
    open();
    refusal = 'There is a server named "a" already.';
    await page.getByLabelText('Command', { exact: true }).fill('x');
    await page.getByLabelText('Name', { exact: true }).fill('a');
    await page.getByRole('button', { name: 'Save and connect' }).click();
    await expect.element(page.getByLabelText('Name', { exact: true })).toHaveFocus();
    await expect.element(page.getByText('There is a server named "a" already. Try again.')).toBeVisible();
    expect(saved).toBeUndefined();
  });
});

describe('leaving', () => {
  it('an untouched form closes at once', async () => {
    open();
    await expect.element(page.getByLabelText(/^Paste/)).toHaveFocus();
    await userEvent.keyboard('{Escape}');
    await expect.poll(() => cancelled).toBe(1);
  });

  it('what was typed is not lost without being asked', async () => {
    open();
    await page.getByLabelText('Command', { exact: true }).fill('node');
    await userEvent.keyboard('{Escape}');
    await expect.element(page.getByRole('button', { name: 'Keep editing' })).toHaveFocus();
    expect(cancelled).toBe(0);
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByLabelText('Command', { exact: true })).toHaveValue('node');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(cancelled).toBe(1);
  });
});

describe('editing', () => {
  it('keeps a secret that is kept already', async () => {
    open({
      ...files,
      endpoint: {
        ...files.endpoint,
        env: [{ name: 'API_KEY', value: '', secret: true }],
      } as ServerDraft['endpoint'],
    });
    await expect.element(page.getByRole('dialog', { name: 'Edit files' })).toBeVisible();
    await expect
      .element(page.getByLabelText('Value of API_KEY', { exact: true }))
      .toHaveAttribute('placeholder', 'kept in the keyring');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => saved).toBe('new');
    expect(calls[0]?.[1]).toMatchObject({
      server: 'old',
      draft: { endpoint: { env: [{ name: 'API_KEY', value: '', secret: true }] } },
    });
  });
});

describe('options', () => {
  const header = () => page.getByRole('button', { name: /^Options/ });
  const treated = {
    ...DEFAULT_SERVER_OPTIONS,
    retry: 'ask' as const,
    proxy: 'http://proxy:3128',
    request_limit_millis: 90_000,
  };

  it('are folded away; how many were changed is told', async () => {
    open({ ...web, options: treated });
    await expect.element(header()).toHaveAttribute('aria-expanded', 'false');
    await expect.element(header()).toHaveTextContent('3 changed');
    await expect.element(page.getByLabelText('Proxy')).not.toBeInTheDocument();
  });

  it('are kept by an edit of something else', async () => {
    open({ ...web, options: treated });
    await page.getByLabelText('URL', { exact: true }).fill('https://example.com/other');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(draftSaved).toMatchObject({ options: treated });
  });

  it('are set from the keyboard, each with a name, a sentence and its default in sight', async () => {
    open(files);
    (header().element() as HTMLElement).focus();
    await userEvent.keyboard('{Enter}');
    const limit = page.getByLabelText('Limit', { exact: true });
    await expect.element(limit).toHaveAttribute('placeholder', '5 min');
    await expect.element(limit).toHaveAccessibleDescription(/How long the server may take/);
    await limit.fill('1.5 min');
    await expect.element(limit).toHaveAccessibleDescription(/^1 min 30 s\./);
    await page.getByLabelText('Start again').selectOptions('At once, a few times');
    const tasks = page.getByRole('checkbox', { name: 'Tasks' });
    await expect.element(tasks).toBeChecked();
    await expect.element(tasks).toHaveAccessibleDescription(/a task that runs on/);
    await tasks.click();
    await page.getByRole('checkbox', { name: 'Roots' }).click();
    await page.getByLabelText('Folders').fill('/home/ana/my project\nfile:///srv');
    await expect.element(page.getByText('file:///home/ana/my%20project')).toBeVisible();
    await expect.element(header()).toHaveTextContent('5 changed');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(draftSaved).toEqual({
      ...files,
      options: {
        ...DEFAULT_SERVER_OPTIONS,
        request_limit_millis: 90_000,
        restart: 'at_once',
        advertise: { ...DEFAULT_SERVER_OPTIONS.advertise, tasks: false, roots: true },
        roots: ['file:///home/ana/my%20project', 'file:///srv'],
      },
    });
  });

  it('go back to their defaults one by one, and all at once', async () => {
    open({ ...web, options: treated });
    await header().click();
    await page.getByRole('button', { name: 'Reset Proxy to its default' }).click();
    await expect.element(page.getByLabelText('Proxy')).toHaveValue('');
    await expect.element(page.getByLabelText('Proxy')).toHaveFocus();
    await expect.element(header()).toHaveTextContent('2 changed');
    await page.getByRole('button', { name: 'Reset all to default' }).click();
    await expect.element(header()).toHaveFocus();
    await expect.element(header()).not.toHaveTextContent('changed');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(draftSaved).toMatchObject({ options: DEFAULT_SERVER_OPTIONS });
  });

  it('that are wrong open the part and have the focus; nothing is sent', async () => {
    open(web);
    await header().click();
    await page.getByLabelText('Extra _meta', { exact: true }).fill('[1]');
    await header().click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const meta = page.getByLabelText('Extra _meta', { exact: true });
    await expect.element(meta).toHaveFocus();
    await expect.element(meta).toHaveAccessibleDescription(/Enter a JSON object/);
    expect(calls).toEqual([]);
    await meta.fill('{"a":1}');
    await expect.element(meta).not.toHaveAttribute('aria-invalid');
  });

  it('a pinned revision decides the era, and leaves the choice for later', async () => {
    open({ ...web, era: 'modern' });
    await header().click();
    await page.getByLabelText('Revision').selectOptions('Exactly 2025-03-26 (legacy)');
    const legacy = page.getByRole('radio', { name: /^Legacy/ });
    await expect.element(legacy).toBeChecked();
    await expect.element(legacy).toBeDisabled();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(draftSaved).toMatchObject({ era: 'modern', options: { revision: '2025-03-26' } });
  });

  it('axe finds nothing in them, right or wrong', async () => {
    open({ ...web, options: { ...treated, advertise: { ...treated.advertise, roots: true } } });
    await header().click();
    await page.getByLabelText('Hard maximum', { exact: true }).fill('soon');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect
      .element(page.getByLabelText('Hard maximum', { exact: true }))
      .toHaveAttribute('aria-invalid', 'true');
    expect(await violations()).toEqual([]);
  });
});

async function violations(): Promise<string[]> {
  const { violations: found } = await axe.run(document.body, {
    rules: {
      region: { enabled: false },
      'page-has-heading-one': { enabled: false },
      'landmark-one-main': { enabled: false },
    },
  });
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
}

it('axe finds nothing', async () => {
  open();
  reading = { drafts: [files, web], taken_for: 'mcpServers block', notes: ['x'] };
  await page.getByLabelText(/^Paste/).fill('{}');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('button', { name: 'Add all 2' })).toBeVisible();
  expect(await violations()).toEqual([]);
});
