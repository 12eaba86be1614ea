import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { WORKBENCH_TABS } from '$components/shell/tabs';
import { axeProblems } from '$lib/testing/axe';
import { openWindow } from '$lib/testing/window';

const html = document.documentElement;
const dialog = (name: string): ReturnType<typeof page.getByRole> => page.getByRole('dialog', { name });

describe('settings', () => {
  it('open from the gear and by their keys, and are remembered', async () => {
    const { host, app } = await openWindow({ story: true });
    await page.getByRole('button', { name: 'Settings' }).click();
    await dialog('Settings').getByRole('radio', { name: 'High contrast' }).click();
    expect(html.dataset['contrast']).toBe('more');
    expect(getComputedStyle(document.body).backgroundColor).toMatch(/rgb\((0, 0, 0|255, 255, 255)\)/);
    await dialog('Settings').getByRole('radio', { name: 'Dark' }).click();
    expect(html.dataset['contrast']).toBeUndefined();
    expect(html.dataset['theme']).toBe('dark');
    await dialog('Settings').getByRole('radio', { name: 'Compact' }).click();
    await expect
      .poll(() => document.querySelector('[role=row][data-index]')?.getBoundingClientRect().height)
      .toBe(22);
    await dialog('Settings').getByRole('button', { name: 'Zoom in' }).click();
    expect(html.style.zoom).toBe('1.1');
    await dialog('Settings')
      .getByRole('checkbox', { name: /before removing/ })
      .click();
    await userEvent.keyboard('{Escape}');
    await expect.element(dialog('Settings')).not.toBeInTheDocument();
    await userEvent.keyboard('{Control>},{/Control}');
    await expect.element(dialog('Settings')).toBeVisible();
    await expect
      .poll(() => JSON.parse(host.preferences) as unknown)
      .toMatchObject({ theme: 'dark', density: 'compact', zoom: 1.1, confirmDestructive: false });
    expect(app.preferences.values.density).toBe('compact');
  });

  it('read what an older or a strange file holds', async () => {
    const { app } = await openWindow(
      { fresh: true },
      { theme: 'neon', density: 7, zoom: 400, confirmDestructive: 'no' },
    );
    expect(app.preferences.values).toMatchObject({
      theme: 'system',
      density: 'comfortable',
      zoom: 3,
      confirmDestructive: true,
    });
  });

  it('zoom by keys, with both signs for larger', async () => {
    await openWindow({ fresh: true });
    await userEvent.keyboard('{Control>}={/Control}');
    await userEvent.keyboard('{Control>}+{/Control}');
    expect(html.style.zoom).toBe('1.25');
    await userEvent.keyboard('{Control>}-{/Control}');
    expect(html.style.zoom).toBe('1.1');
    await userEvent.keyboard('{Control>}0{/Control}');
    expect(html.style.zoom).toBe('1');
  });
});

describe('shortcuts', () => {
  it('are listed under ?, but not while a text is written', async () => {
    await openWindow({ story: true }, { tab: 'tools' });
    const filter = page.getByRole('searchbox', { name: 'Filter tools' });
    await filter.click();
    await userEvent.keyboard('?');
    await expect.element(filter).toHaveValue('?');
    await expect.element(dialog('Keyboard shortcuts')).not.toBeInTheDocument();
    await filter.clear();
    (document.activeElement as HTMLElement).blur();
    await userEvent.keyboard('?');
    await expect.element(dialog('Keyboard shortcuts')).toHaveTextContent(/Ctrl K\s*Commands/);
    await expect.element(dialog('Keyboard shortcuts')).toHaveTextContent(/Ctrl 2\s*Go to Tools/);
    await expect.element(dialog('Keyboard shortcuts')).toHaveTextContent(/Unfold and go in/);
  });

  it('go to pages, and from pane to pane', async () => {
    const { app } = await openWindow({ story: true });
    await userEvent.keyboard('{Control>}2{/Control}');
    expect(app.preferences.values.tab).toBe('tools');
    const pane = (): string | undefined =>
      document.activeElement?.closest<HTMLElement>('[data-place]')?.dataset['place'];
    const seen: (string | undefined)[] = [];
    for (let step = 0; step < 4; step += 1) {
      await userEvent.keyboard('{F6}');
      seen.push(pane());
    }
    expect(seen).toEqual(['servers', 'workbench', 'timeline', 'details']);
    await userEvent.keyboard('{Shift>}{F6}{/Shift}');
    expect(pane()).toBe('timeline');
  });

  it('leave what is under a dialog alone', async () => {
    const { app } = await openWindow({ story: true }, { tab: 'overview' });
    await userEvent.keyboard('{Control>},{/Control}');
    await expect.element(dialog('Settings')).toBeVisible();
    await userEvent.keyboard('{Control>}2{/Control}');
    expect(app.preferences.values.tab).toBe('overview');
  });
});

describe('the palette', () => {
  it('has the keys beside what they do, and finds by any words', async () => {
    const { app } = await openWindow({ story: true });
    await userEvent.keyboard('{Control>}k{/Control}');
    await page.getByRole('dialog').getByRole('combobox').fill('prompts go');
    const option = page.getByRole('option', { name: /^Go to Prompts/ });
    await expect.element(option).toHaveTextContent('Ctrl 4');
    await userEvent.keyboard('{Enter}');
    expect(app.preferences.values.tab).toBe('prompts');
  });

  it('draws a screenful of five thousand tools and finds the one that is meant', async () => {
    const { host, app } = await openWindow({ story: true });
    const tools = app.chosenTools?.entries ?? [];
    const [tool] = tools;
    if (tool === undefined) throw new Error('the story has changed');
    host.lists.manyTools = Array.from({ length: 5000 }, (_, index) => ({
      ...tool,
      index,
      name: `tool_${index}`,
    }));
    await app.host.rpc('refresh_tools', { server: app.chosen?.id ?? '' });
    await expect.poll(() => app.chosenTools?.entries.length).toBe(5000);
    await userEvent.keyboard('{Control>}k{/Control}');
    await expect.element(page.getByText(/more; type on/)).toBeVisible();
    expect(document.querySelectorAll('.palette-item').length).toBeLessThanOrEqual(80);
    await page.getByRole('dialog').getByRole('combobox').fill('call tool_4321');
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => app.chosenTools?.chosen).toBe('tool_4321');
  });
});

describe('a removal', () => {
  it('is asked about, and can be taken back', async () => {
    const { host, app } = await openWindow({ story: true });
    const name = 'filesystem';
    const row = page.getByRole('button', { name: new RegExp(`^${name} ?, \\w+ `) });
    await page.getByRole('button', { name: `More for ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await expect.element(row).not.toBeInTheDocument();
    await page.getByRole('button', { name: /^Undo/ }).click();
    await expect.element(row).toBeVisible();
    expect(host.asked.map((one) => one.name)).toContain('restore_server');
    expect(app.toasts.list).toEqual([]);
  });

  it('that nobody asks about is taken back by the keys', async () => {
    const { app } = await openWindow({ story: true }, { confirmDestructive: false });
    const server = app.servers.find((one) => one.draft !== null);
    if (server === undefined) throw new Error('the story has changed');
    app.askToRemove(server);
    await expect.poll(() => app.servers.some((one) => one.id === server.id)).toBe(false);
    await expect.element(page.getByRole('status').filter({ hasText: 'Removed' })).toBeVisible();
    await userEvent.keyboard('{Control>}z{/Control}');
    await expect.poll(() => app.servers.some((one) => one.id === server.id)).toBe(true);
  });
});

// A separator between two landmarks lies in neither.
const violations = (): Promise<string[]> => axeProblems({ page: true, exclude: ['.resizer'] });

describe('axe finds nothing, in both themes', () => {
  it.each(WORKBENCH_TABS)('on the page $label', { timeout: 120_000 }, async ({ value, label }) => {
    await openWindow({ story: true, tasks: true }, { tab: value, rightOpen: false });
    const tab = page.getByRole('tab', { name: new RegExp(`^${label}`) });
    await expect.element(tab).toHaveAttribute('aria-selected', 'true');
    const panel = document.querySelector('main [role="tabpanel"]');
    await expect.poll(() => panel?.textContent.trim().length ?? 0, { timeout: 30_000 }).toBeGreaterThan(20);
    expect(await violations()).toEqual([]);
  });

  for (const theme of ['system', 'contrast']) {
    it(`in the dialogs, ${theme === 'contrast' ? 'with more contrast' : 'as usual'}`, async () => {
      const { app } = await openWindow({ story: true }, { theme });
      app.settingsOpen = true;
      await expect.element(dialog('Settings')).toBeVisible();
      expect(await violations()).toEqual([]);
      app.settingsOpen = false;
      await expect.element(dialog('Settings')).not.toBeInTheDocument();
      app.shortcutsOpen = true;
      await expect.element(dialog('Keyboard shortcuts')).toBeVisible();
      expect(await violations()).toEqual([]);
      app.shortcutsOpen = false;
      app.toasts.say('Removed filesystem.', () => undefined);
      await expect.element(page.getByText('Removed filesystem.')).toBeVisible();
      expect(await violations()).toEqual([]);
    });
  }
});
