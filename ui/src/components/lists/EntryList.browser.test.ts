import axe from 'axe-core';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { ToolView } from '$lib/bindings/ToolView';
import type { FakeHost } from '$lib/host/fake/fake';
import { toolsOf } from '$lib/host/fake/catalog';
import type { App } from '$lib/state/app.svelte';
import { openWindow } from '$lib/testing/window';

const open = (prepare: (host: FakeHost) => void): Promise<{ host: FakeHost; app: App }> =>
  openWindow({ story: true, pace: 0 }, { tab: 'tools' }, prepare);

const [sample] = toolsOf('bookings');
function tools(names: readonly string[]): ToolView[] {
  if (sample === undefined) throw new Error('the fake has no tools');
  const counts = new Map<string, number>();
  return names.map((name, index) => {
    const nth = counts.get(name) ?? 0;
    counts.set(name, nth + 1);
    return { ...sample, index, nth, name, title: `number ${index}`, description: null };
  });
}

const options = (): string[] =>
  [...document.querySelectorAll('[role=option][data-at]')].map((one) => one.textContent);

describe('a long list', () => {
  it('of ten thousand tools draws what is in sight, and is walked and filtered at once', async () => {
    const { app } = await open((host) => {
      // Equal names are what made a key dear.
      host.lists.manyTools = tools(
        Array.from({ length: 10_000 }, (_, at) => (at % 2 === 0 ? 'same' : `tool_${at}`)),
      );
    });
    await expect.poll(() => app.chosenTools?.entries.length).toBe(10_000);
    await expect.element(page.getByRole('option', { name: /number 0$/ })).toBeVisible();
    expect(options().length).toBeLessThan(80);

    await page.getByRole('option', { name: /number 0$/ }).click();
    await userEvent.keyboard('{End}');
    const last = page.getByRole('option', { name: /number 9999/ });
    await expect.element(last).toHaveFocus();
    await expect.element(last).toHaveAttribute('aria-posinset', '10000');
    await expect.element(last).toHaveAttribute('aria-setsize', '10000');
    expect(options().length).toBeLessThan(80);
    await userEvent.keyboard('{ArrowUp}');
    await expect.element(page.getByRole('option', { name: /number 9998/ })).toHaveFocus();

    const began = performance.now();
    await page.getByRole('searchbox', { name: 'Filter tools' }).fill('number 77');
    await expect.poll(() => options()[0]).toMatch(/number 77$/);
    expect(performance.now() - began).toBeLessThan(3000);
    expect(app.chosenTools?.shown.length).toBe(280);
  });

  it('of equal names shows exactly those that a filter asks for, each its own', async () => {
    const { app } = await open((host) => {
      host.lists.manyTools = tools(['get_a', 'echo', 'get_b', 'echo']);
    });
    await expect.poll(() => app.chosenTools?.entries.length).toBe(4);
    await page.getByRole('searchbox', { name: 'Filter tools' }).fill('get');
    await expect.poll(options).toEqual([expect.stringContaining('get_a'), expect.stringContaining('get_b')]);
    await page.getByRole('searchbox', { name: 'Filter tools' }).fill('echo');
    await page.getByRole('option', { name: /number 3/ }).click();
    expect(app.chosenTools?.chosenEntry?.index).toBe(3);
    expect(document.querySelectorAll('[role=option][aria-selected=true][data-at]')).toHaveLength(1);
  });
});

describe('resources', () => {
  it('are fetched when their tab is opened, and read', async () => {
    const { host, app } = await open(() => undefined);
    const fetches = (): unknown[] =>
      host.asked.filter(({ name }) => name === 'fetch_list').map(({ args }) => args);
    expect(fetches()).toEqual([]);
    await page.getByRole('tab', { name: /Resources/ }).click();
    await expect.element(page.getByRole('option', { name: /Lunch menu/ })).toBeVisible();
    expect(fetches()).toEqual([{ server: 'bookings', list: 'resources', refresh: false }]);
    // A bad entry stands beside the others.
    await expect.element(page.getByRole('option', { name: /nowhere.*1 problem/ })).toBeVisible();
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await expect
      .element(page.getByRole('heading', { name: 'What is at bookings://menu/lunch' }))
      .toBeVisible();
    await expect.element(page.getByText(/To be kept for/)).toBeVisible();
    await page.getByRole('button', { name: 'Read past the cache' }).click();
    expect(host.asked.filter(({ name }) => name === 'read_resource').map(({ args }) => args)).toEqual([
      { server: 'bookings', uri: 'bookings://menu/lunch', refresh: false },
      { server: 'bookings', uri: 'bookings://menu/lunch', refresh: true },
    ]);
    // One that has no URI cannot be read.
    await page.getByRole('option', { name: /nowhere/ }).click();
    await expect.element(page.getByRole('button', { name: 'Read', exact: true })).toBeDisabled();
    expect(app.offersOf('bookings').resources.chosenEntry?.index).toBe(3);
  });

  it('show what is new, changed and gone', async () => {
    const { host } = await open((fake) => {
      const mark = (index: number, name: string, mark: 'new' | 'changed' | null): never =>
        ({
          index,
          nth: 0,
          mark,
          uri: `bookings://${name}`,
          name,
          title: null,
          description: null,
          mime_type: null,
          size: null,
          last_modified: null,
          problems: [],
        }) as never;
      fake.lists.then = {
        resources: [mark(0, 'lunch', 'changed'), mark(1, 'brunch', 'new'), mark(2, 'same', null)],
        gone: ['bookings://rules'],
      };
    });
    await page.getByRole('tab', { name: /Resources/ }).click();
    await expect.element(page.getByRole('option', { name: /Lunch menu/ })).toBeVisible();
    await page.getByRole('button', { name: 'Fetch the list again' }).click();
    await expect.element(page.getByRole('option', { name: /lunch changed/ })).toBeVisible();
    await expect.element(page.getByRole('option', { name: /brunch new/ })).toBeVisible();
    await expect.element(page.getByText(/Gone since the fetch before:.*bookings:\/\/rules/)).toBeVisible();
    expect(host.asked.filter(({ name }) => name === 'fetch_list').at(-1)?.args).toMatchObject({
      refresh: true,
    });
  });

  it('that cannot be listed say why and are asked for again', async () => {
    const { host } = await open((fake) => {
      fake.lists.fails = 'resources';
    });
    await page.getByRole('tab', { name: /Resources/ }).click();
    await expect.element(page.getByRole('alert')).toHaveTextContent(/the shelf is empty/);
    host.lists.fails = undefined;
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.element(page.getByRole('option', { name: /Lunch menu/ })).toBeVisible();
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
  });

  it('of a server that has none say so', async () => {
    await open(() => undefined);
    await page.getByRole('button', { name: /^filesystem ?, connected/ }).click();
    await page.getByRole('tab', { name: /Resources/ }).click();
    await expect
      .element(page.getByText('The server does not declare the resources capability.'))
      .toBeVisible();
  });
});

describe('a template', () => {
  it('is filled in with what the server suggests, and shows what it reads', async () => {
    const { host } = await open(() => undefined);
    await page.getByRole('tab', { name: /Resources/ }).click();
    await page.getByRole('radio', { name: /Templates/ }).click();
    const name = page.getByRole('combobox', { name: /^name/ });
    await name.fill('da');
    await expect.element(page.getByRole('option', { name: 'Da Mario' })).toBeVisible();
    await userEvent.keyboard('{ArrowDown}{ArrowDown}{Enter}');
    await expect.element(name).toHaveValue('Da Mario');
    await expect
      .element(page.getByText('bookings://restaurants/Da%20Mario/menu', { exact: true }))
      .toBeVisible();
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await expect
      .element(page.getByRole('heading', { name: 'What is at bookings://restaurants/Da%20Mario/menu' }))
      .toBeVisible();
    expect(host.asked.findLast((one) => one.name === 'complete')?.args).toMatchObject({
      target: { kind: 'resource_template', uri_template: 'bookings://restaurants/{name}/menu{?course}' },
      argument: 'name',
      context: '{}',
    });
    const found = await axe.run(document.body, { runOnly: ['wcag2a', 'wcag2aa'] });
    expect(found.violations.map((one) => `${one.id}: ${one.nodes[0]?.html ?? ''}`)).toEqual([]);
  });

  it('that is malformed cannot be sent', async () => {
    await open(() => undefined);
    await page.getByRole('tab', { name: /Resources/ }).click();
    await page.getByRole('radio', { name: /Templates/ }).click();
    await page.getByRole('option', { name: /broken/ }).click();
    await expect.element(page.getByText(/malformed at character 19/).first()).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Read', exact: true })).not.toBeInTheDocument();
  });
});

describe('a prompt', () => {
  it('is got with its arguments, of which the required ones are asked for', async () => {
    const { host } = await open(() => undefined);
    await page.getByRole('tab', { name: /Prompts/ }).click();
    await page.getByRole('option', { name: /write_review/ }).click();
    await page.getByRole('button', { name: 'Get the prompt' }).click();
    await expect.element(page.getByRole('alert')).toHaveTextContent('Required and empty: restaurant.');
    expect(host.asked.some((one) => one.name === 'get_prompt')).toBe(false);
    await page.getByRole('combobox', { name: /^restaurant/ }).fill('Lucia');
    await userEvent.keyboard('{Escape}');
    await userEvent.keyboard('{Control>}{Enter}{/Control}');
    await expect.element(page.getByText('write_review with {"restaurant":"Lucia"}')).toBeVisible();
    await expect.element(page.getByRole('heading', { name: 'assistant' })).toBeVisible();
    // What was left empty is not given, and what was given is the context of the next.
    await page.getByRole('combobox', { name: /^tone/ }).fill('w');
    await expect
      .poll(() => host.asked.findLast((one) => one.name === 'complete')?.args)
      .toMatchObject({ argument: 'tone', value: 'w', context: '{"restaurant":"Lucia"}' });
  });
});
