import axe from 'axe-core';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { FakeHost, FakeOptions } from '$lib/host/fake/fake';
import type { App } from '$lib/state/app.svelte';
import { openWindow } from '$lib/testing/window';

const open = (options: FakeOptions): Promise<{ host: FakeHost; app: App }> =>
  openWindow(options, { server: 'bookings', tab: 'tasks' });

const grid = page.getByRole('grid', { name: 'Tasks' });
const line = (name: RegExp): ReturnType<typeof page.getByRole> => grid.getByRole('row', { name });
const names = (): string[] =>
  [...document.querySelectorAll('[role=grid] [role=row][data-at]')].map(
    (row) => row.getAttribute('aria-label')?.replace(/ \S+,/, ',') ?? '',
  );
async function menu(name: RegExp, item: string): Promise<void> {
  await line(name)
    .getByRole('button', { name: /^More for/ })
    .click();
  await page.getByRole('menuitem', { name: item }).click();
}
const asked = (host: FakeHost, name: string): unknown[] =>
  host.asked.filter((one) => one.name === name).map((one) => one.args);

describe('the page of tasks', () => {
  it('lists what needs the person and what runs first, with what each server says', async () => {
    const { host } = await open({ story: true, tasks: true });
    host.tasks.change(4, { next_poll_micros: Date.now() * 1000 + 50_000_000 });
    host.tick();
    await expect
      .poll(names)
      .toEqual([
        'export_bookings, needs input',
        'import_menu, working',
        'rebuild_index, cancel asked',
        'import_menu, completed',
        'nightly_sync, failed −32603',
      ]);
    await expect.element(line(/working/)).toHaveTextContent(/importing row 40 of 100/);
    await expect.element(line(/working/)).toHaveTextContent(/in [0-9.]+ s/);
    await expect.element(line(/cancel asked/)).toHaveTextContent(/the server may still finish/);
    await expect.element(line(/completed/)).toHaveTextContent(/result 2.1 KiB/);
    await expect.element(line(/failed/)).toHaveTextContent(/upstream timed out/);
    const tab = page.getByRole('tab', { name: /^Tasks/ });
    await expect.element(tab).toHaveAccessibleName(/3 running.*1 task waiting for you/);
  });

  it('counts down to the next poll', async () => {
    const { host } = await open({ story: true, tasks: true });
    host.tasks.change(4, { next_poll_micros: Date.now() * 1000 + 9_000_000 });
    host.tick();
    const cell = line(/working/).getByText(/^in /);
    const first = cell.element().textContent;
    await expect.poll(() => cell.element().textContent).not.toBe(first);
  });

  it('polls, pauses, resumes and cancels', async () => {
    const { host } = await open({ story: true, tasks: true });
    const task = { server: 'bookings', task: host.tasks.all.get(4)?.task };
    await line(/working/)
      .getByRole('button', { name: 'Poll now' })
      .click();
    expect(asked(host, 'poll_task')).toEqual([task]);
    await menu(/working/, 'Pause polling');
    await expect.element(line(/working/)).toHaveTextContent(/paused/);
    await menu(/working/, 'Resume polling');
    await expect.element(line(/working/)).toHaveTextContent(/in [0-9.]+ s/);
    await line(/working/)
      .getByRole('button', { name: 'Cancel' })
      .click();
    await expect.poll(names).toContain('import_menu, cancel asked');
    // What really happened is said: it finished before.
    host.tasks.change(4, { standing: 'over', status: 'completed', is_followed: false });
    host.tick();
    await expect.element(grid).toHaveTextContent(/completed before the cancel took effect/);
  });

  it('never polls faster than the server wants without saying so', async () => {
    const { host } = await open({ story: true, tasks: true });
    await menu(/working/, 'Change interval…');
    const dialog = page.getByRole('dialog');
    await expect.element(dialog).toHaveTextContent(/5\.00 s apart/);
    const field = dialog.getByRole('textbox', { name: 'Seconds between polls' });
    await field.fill('soon');
    await expect.element(dialog).toHaveTextContent(/Enter seconds/);
    await field.fill('1');
    await expect.element(dialog.getByRole('button', { name: 'Set' })).toBeDisabled();
    await dialog.getByRole('checkbox', { name: 'Poll faster than the server wants' }).click();
    await dialog.getByRole('button', { name: 'Set' }).click();
    expect(asked(host, 'pace_task').at(-1)).toMatchObject({ interval_millis: 1000, is_forced: true });
    const next = document.querySelector('[role=row][aria-label*="working"] .next');
    await expect
      .poll(() => next?.getAttribute('title'))
      .toMatch(/1\.00 s as you set; the server wants 5\.00 s/);
  });

  it('opens the prompt of a task, its result and its row', async () => {
    const { host, app } = await open({ story: true, tasks: true });
    const prompt = host.prompts.all[0];
    host.tasks.change(5, { operation: prompt?.operation ?? null });
    host.tick();
    app.preferences.set({ rightOpen: false });
    await line(/needs input/)
      .getByRole('button', { name: 'Answer' })
      .click();
    await expect
      .poll(() => document.activeElement?.closest('article')?.getAttribute('aria-label') ?? '')
      .toMatch(/^Prompt from/);

    host.tasks.change(2, { operation: 0 });
    host.tick();
    await line(/completed/)
      .getByRole('button', { name: 'Open result' })
      .click();
    await expect.element(page.getByRole('dialog')).toBeVisible();
    await userEvent.keyboard('{Escape}');
    await menu(/completed/, 'Open in timeline');
    await expect.poll(() => app.timeline.selectedRow?.operation).toBe(0);
  });

  it('forgets, and takes that back', async () => {
    const { host } = await open({ story: true, tasks: true });
    await menu(/failed/, 'Forget');
    await expect.poll(names).not.toContain('nightly_sync, failed −32603');
    await expect.element(page.getByText(/Forgot 1 task; the server was not told/)).toBeVisible();
    await page.getByRole('button', { name: /Undo/ }).click();
    await expect.poll(names).toContain('nightly_sync, failed −32603');
    await page.getByRole('button', { name: 'Forget ended' }).click();
    await expect.poll(() => names().length).toBe(3);
    expect(host.tasks.all.size).toBe(3);
  });

  it('cancels all after asking', async () => {
    const { host } = await open({ story: true, tasks: true });
    await page.getByRole('button', { name: 'Cancel all…' }).click();
    await page.getByRole('button', { name: 'Let them run' }).click();
    expect(asked(host, 'cancel_tasks')).toEqual([]);
    await page.getByRole('button', { name: 'Cancel all…' }).click();
    await page.getByRole('button', { name: 'Cancel 3 tasks' }).click();
    expect(asked(host, 'cancel_tasks')).toEqual([{ server: 'bookings' }]);
    await expect.poll(() => names().filter((name) => name.includes('cancel asked')).length).toBe(3);
  });

  it('adds a handle by hand', async () => {
    const { host } = await open({ story: true });
    await expect.element(page.getByText('No tasks of restaurant-bookings')).toBeVisible();
    await page.getByRole('button', { name: 'Add a handle…' }).first().click();
    await page.getByRole('textbox', { name: 'Task identifier' }).fill('t-77');
    await userEvent.keyboard('{Enter}');
    expect(asked(host, 'poll_task')).toEqual([{ server: 'bookings', task: 't-77' }]);
    await expect.poll(names).toEqual(['added by hand, working']);
  });

  it('is worked from the keyboard, with 500 tasks', async () => {
    const { app, host } = await open({ story: true, tasks: 500 });
    await expect.poll(() => app.tasks.all.length).toBe(500);
    expect(document.querySelectorAll('[role=row][data-at]').length).toBeLessThan(60);
    document.querySelector<HTMLElement>('[role=row][data-at="0"]')?.focus();
    await userEvent.keyboard('{End}');
    await expect.poll(() => document.activeElement?.getAttribute('data-at')).toBe('499');
    await userEvent.keyboard('{ArrowUp}{Delete}');
    await expect.poll(() => host.tasks.all.size).toBe(499);
    // The focus stays where the person is.
    await expect.poll(() => document.activeElement?.getAttribute('data-at')).toBe('498');
    await userEvent.keyboard('{Home}{Enter}');
    await expect.poll(() => asked(host, 'poll_task').length).toBe(1);
  });

  it('shows those of all servers from the status bar', async () => {
    const { host, app } = await open({ story: true, tasks: true });
    host.tasks.add({ server: 'filesystem', server_name: 'filesystem', title: 'index_folder' });
    host.tick();
    app.preferences.set({ tab: 'tools' });
    await page.getByRole('button', { name: '4 tasks running' }).click();
    await expect.poll(() => names().length).toBe(6);
    await expect.element(line(/index_folder/)).toHaveTextContent(/filesystem/);
    await page.getByRole('radio', { name: 'Of restaurant-bookings' }).click();
    await expect.poll(() => names().length).toBe(5);
  });

  it('is clean in both themes and in a narrow window', async () => {
    const { host, app } = await open({ story: true, tasks: true });
    const long = 'x'.repeat(4000);
    host.tasks.add({
      title: long,
      task: long,
      status_message: `${long}\u202e`,
      failed_polls: 3,
      problem: long,
    });
    host.tick();
    for (const [width, theme] of [
      [1280, 'light'],
      [1280, 'dark'],
      [760, 'light'],
    ] as const) {
      await page.viewport(width, 800);
      app.preferences.set({ theme });
      await expect.poll(() => names().length).toBeGreaterThan(0);
      const { violations } = await axe.run('[aria-label=Workbench], main', { resultTypes: ['violations'] });
      expect(
        violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 200)).join(' | ')}`),
      ).toEqual([]);
      const grid = document.querySelector('[role=grid]');
      expect(grid?.scrollWidth).toBeLessThanOrEqual((grid?.clientWidth ?? 0) + 1);
    }
  });
});
