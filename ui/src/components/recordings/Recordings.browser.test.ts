import axe from 'axe-core';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { FakeHost } from '$lib/host/fake/fake';
import { recording } from '$lib/host/fake/recordings';
import type { App } from '$lib/state/app.svelte';
import { openWindow } from '$lib/testing/window';

const open = (change?: (host: FakeHost) => void): Promise<{ host: FakeHost; app: App }> =>
  openWindow({ story: true }, {}, change);

const list = page.getByRole('region', { name: 'Recordings' });
const banner = page.getByRole('region', { name: 'Past session' });
const rowCount = (): number => document.querySelectorAll('[role=row][data-index]').length;

async function choose(of: RegExp, item: string): Promise<void> {
  await list.getByRole('button', { name: of }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

describe('recordings', () => {
  it('are listed with time, length and size below the servers', async () => {
    await open();
    await expect.element(list.getByText('This session')).toBeVisible();
    await expect.element(list.getByText('checkout bug')).toBeVisible();
    await expect.element(list.getByText(/12 min 34 s · 3\.2 MiB/)).toBeVisible();
  });

  it('are looked at without their servers, and the way back leads to the same place', async () => {
    const { host, app } = await open();
    await page.getByRole('row', { name: /^tools\/list/ }).click();
    const before = rowCount();
    const selected = app.timeline.selection.key;
    await list.getByRole('button', { name: /^checkout bug/ }).click();
    await expect.element(banner.getByText('checkout bug')).toBeVisible();
    await expect.element(banner.getByText(/restaurant-bookings/)).toBeVisible();
    await expect.poll(() => app.timeline.totalRows).toBe(40);
    // Nothing comes to it any more, so nothing is new.
    expect(app.timeline.newRows).toBe(0);

    // What is asked of it names it; what the running session tells meanwhile stays there.
    await page
      .getByRole('row', { name: /^tools\/call/ })
      .first()
      .click();
    await expect.poll(() => app.details.details?.cancellable).toBe(false);
    const asked = host.asked.filter(({ name }) => name === 'row').at(-1)?.args;
    expect(asked).toMatchObject({ recording: '2026-11-28 16.40.12 4f1c.mcpr' });
    host.journal.start('bookings', 'restaurant-bookings', 'ping', null);
    host.tick();
    expect(app.timeline.totalRows).toBe(40);

    await banner.getByRole('button', { name: 'Back to the live session' }).click();
    await expect.element(banner).not.toBeInTheDocument();
    expect(app.timeline.selection.key).toBe(selected);
    await expect.poll(rowCount).toBe(before + 1);
    expect(host.asked.some(({ name }) => name === 'close_recording')).toBe(true);
  });

  it('say what is wrong with them', async () => {
    await open();
    await list.getByRole('button', { name: /^billing-staging/ }).click();
    await expect.element(banner.getByText(/damaged at byte 790/)).toBeVisible();
  });

  it('are named, and a name is taken away', async () => {
    const { app } = await open();
    await choose(/^More for the recording filesystem/, 'Name…');
    const field = page.getByRole('textbox', { name: 'Name', exact: true });
    await expect.element(field).toHaveFocus();
    await field.fill('the slow listing');
    await userEvent.keyboard('{Enter}');
    await expect.element(list.getByText('the slow listing')).toBeVisible();
    await choose(/^More for the recording the slow listing/, 'Name…');
    await field.fill('');
    await page.getByRole('button', { name: 'Leave it without a name' }).click();
    await expect.element(list.getByText('the slow listing')).not.toBeInTheDocument();
    expect(app.recordings.all).toHaveLength(4);
  });

  it('are deleted after a question, also the one that is looked at; the running one is not', async () => {
    const { app } = await open();
    await list.getByRole('button', { name: /^checkout bug/ }).click();
    await expect.element(banner).toBeVisible();
    await choose(/^More for the recording checkout bug/, 'Delete…');
    await page.getByRole('button', { name: 'Keep it' }).click();
    expect(app.recordings.all).toHaveLength(4);
    await choose(/^More for the recording checkout bug/, 'Delete…');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect.element(list.getByText('checkout bug')).not.toBeInTheDocument();
    await expect.element(banner).not.toBeInTheDocument();
    await list.getByRole('button', { name: /^More for the recording of this session/ }).click();
    await expect.element(page.getByRole('menuitem', { name: 'Delete…' })).toHaveAttribute('data-disabled');
  });

  it('are limited by a setting that says first what goes', async () => {
    const { host, app } = await open();
    await choose(/^More for recordings$/, 'How long they are kept…');
    await expect.element(page.getByText('Nothing is removed now.')).toBeVisible();
    await page.getByRole('checkbox', { name: 'Not longer than' }).click();
    await page.getByRole('textbox', { name: 'Days at most' }).fill('x');
    await expect.element(page.getByText('Enter a whole number.')).toBeVisible();
    await page.getByRole('textbox', { name: 'Days at most' }).fill('1');
    await expect.element(page.getByText(/1 recording \(3\.2 MiB\)/)).toBeVisible();
    expect(app.recordings.all).toHaveLength(4);
    await page.getByRole('button', { name: 'Save and delete 1' }).click();
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument();
    expect(app.recordings.all.map((one) => one.name ?? one.id)).not.toContain(
      '2026-11-27 09.12.55 77a0.mcpr',
    );
    expect(host.recordings.limits).toEqual({ total_mib: null, days: 1 });
  });

  it('that were removed at the start are told of', async () => {
    await open((host) => {
      const gone = recording({ id: 'old.mcpr', byte_len: 2048 });
      host.recordings.removedAtStart = { recordings: [gone], byte_len: 2048, named: 0, problems: [] };
    });
    await expect.element(list.getByText(/1 recording \(2\.0 KiB\) was removed/)).toBeVisible();
    await list.getByRole('button', { name: 'Good' }).click();
    await expect.element(list.getByText(/was removed/)).not.toBeInTheDocument();
  });

  it('of which there are thousands take no more room than is asked for', async () => {
    const { app } = await open((host) => {
      for (let one = 0; one < 10_000; one += 1) {
        host.recordings.all.push(
          recording({ id: `${one}.mcpr`, server_names: [`a server with a name ${'so '.repeat(60)}long`] }),
        );
      }
    });
    await expect.poll(() => app.recordings.all.length).toBeGreaterThan(10_000);
    expect(document.querySelectorAll('[aria-label=Recordings] li')).toHaveLength(40);
    await list.getByRole('button', { name: /older…/ }).click();
    await expect.poll(() => document.querySelectorAll('[aria-label=Recordings] li').length).toBe(440);
    const column = document.querySelector('[aria-label=Recordings]');
    expect(column?.scrollWidth).toBe(column?.clientWidth);
  });

  it('and their dialogs can be used without seeing them', async () => {
    const { app } = await open();
    const found = async (part?: string): Promise<string[]> => {
      const { violations } = await axe.run(
        part === undefined ? { exclude: ['.resizer'] } : { include: [part] },
        {
          resultTypes: ['violations'],
        },
      );
      return violations.map(
        (one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`,
      );
    };
    await list.getByRole('button', { name: /^billing-staging/ }).click();
    await expect.element(banner).toBeVisible();
    for (const theme of ['light', 'dark']) {
      document.documentElement.dataset['theme'] = theme;
      expect(await found()).toEqual([]);
    }
    delete document.documentElement.dataset['theme'];
    app.recordings.limiting = true;
    await expect.element(page.getByText('Nothing is removed now.')).toBeVisible();
    expect(await found('[role=dialog]')).toEqual([]);
  });
});
