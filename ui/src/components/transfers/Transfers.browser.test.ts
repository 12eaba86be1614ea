import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { axeProblems } from '$lib/testing/axe';
import { openWindow } from '$lib/testing/window';

const dialog = page.getByRole('dialog', { name: 'Export' });
const row = (name: RegExp): ReturnType<typeof page.getByRole> => page.getByRole('row', { name }).first();

describe('an export', () => {
  it('says what was redacted before it is saved, and where it went', async () => {
    const { host, app } = await openWindow({ story: true });
    host.transfers.notes = ['2 operations without an HTTP exchange are not in it: HAR holds nothing else.'];
    await page.getByRole('button', { name: 'Export' }).click();
    await expect.element(dialog.getByText('billing-staging/Authorization')).toBeVisible();
    await expect.element(dialog.getByText(/12 rows, 340 events, 47/)).toBeVisible();
    await expect.element(dialog.getByText(/without an HTTP exchange/)).toBeVisible();
    expect(host.transfers.begun).toEqual([{ scope: { kind: 'all' }, form: 'recording' }]);
    expect(await axeProblems()).toEqual([]);

    await dialog.getByRole('radio', { name: /^HAR/ }).click();
    await expect.element(dialog.getByText('restaurant-bookings 2026-11-30 14.02.har')).toBeVisible();
    expect(host.transfers.begun.at(-1)).toEqual({ scope: { kind: 'all' }, form: 'har' });
    // The one before it is forgotten.
    expect(host.transfers.ended).toContain(1);

    await dialog.getByRole('button', { name: 'Save as…' }).click();
    await expect.element(dialog).not.toBeInTheDocument();
    await expect.element(page.getByText('Saved as /home/ana/session.mcpr.gz')).toBeVisible();
    await expect.poll(() => host.transfers.ended.length).toBe(host.transfers.begun.length);
    expect(app.exports.wish).toBeNull();
  });

  it('is of the rows that are shown, of the selected one, or of a recording', async () => {
    const { host } = await openWindow({ story: true });
    await row(/^tools\/list/).click();
    await userEvent.keyboard('{Control>}e{/Control}');
    await dialog.getByRole('radio', { name: 'The selected row' }).click();
    await expect
      .poll(() => host.transfers.begun.at(-1)?.scope)
      .toMatchObject({ kind: 'rows', keys: [expect.stringMatching(/^o\d+$/)] });
    await userEvent.keyboard('{Escape}');

    await page.getByRole('radio', { name: 'Calls' }).click();
    await userEvent.keyboard('{Control>}e{/Control}');
    await expect.element(dialog.getByRole('radio', { name: /What the timeline shows/ })).toBeChecked();
    await expect.poll(() => host.transfers.begun.at(-1)?.scope).toEqual({ kind: 'shown' });
    await userEvent.keyboard('{Escape}');

    await page.getByRole('button', { name: /More for the recording checkout bug/ }).click();
    await page.getByRole('menuitem', { name: 'Export…' }).click();
    await expect.element(dialog.getByText('checkout bug')).toBeVisible();
    await expect
      .poll(() => host.transfers.begun.at(-1))
      .toEqual({ scope: { kind: 'all' }, form: 'recording', recording: '2026-11-28 16.40.12 4f1c.mcpr' });
    expect(dialog.getByRole('radio', { name: 'The selected row' }).elements()).toEqual([]);
  });

  it('can be cancelled while it is prepared, and begun again', async () => {
    const { host } = await openWindow({ story: true });
    host.transfers.steps = 1000;
    await userEvent.keyboard('{Control>}e{/Control}');
    await expect.element(dialog.getByRole('progressbar')).toBeVisible();
    await expect.element(dialog.getByRole('button', { name: 'Save as…' })).toBeDisabled();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(host.transfers.ended).toEqual([1]);
    host.transfers.steps = 0;
    await dialog.getByRole('button', { name: 'Prepare the file' }).click();
    await expect.element(dialog.getByRole('button', { name: 'Save as…' })).toBeEnabled();
  });

  it('says why it failed, and that the dialog for saving was left is no failure', async () => {
    const { host } = await openWindow({ story: true });
    host.transfers.fails = 'There is no HTTP exchange in what was chosen.';
    await userEvent.keyboard('{Control>}e{/Control}');
    await expect.element(dialog.getByText(/There is no HTTP exchange/)).toBeVisible();
    await expect.element(dialog.getByRole('button', { name: 'Save as…' })).toBeDisabled();
    host.transfers.fails = null;
    host.transfers.savesTo = null;
    await dialog.getByRole('radio', { name: /^Summary/ }).click();
    await dialog.getByRole('button', { name: 'Save as…' }).click();
    await expect.element(dialog).toBeVisible();
    await expect.element(dialog.getByRole('alert')).not.toBeInTheDocument();
    await expect.element(dialog.getByRole('button', { name: 'Copy' })).toBeEnabled();
  });
});

describe('a request', () => {
  it('is copied as a command, with what is to be put in, and failures say why', async () => {
    const { host, app } = await openWindow({ story: true });
    host.transfers.copiedSecrets = ['billing-staging/Authorization'];
    await row(/^tools\/list/).click();
    await page.getByRole('button', { name: 'Copy the request' }).click();
    await page.getByRole('menuitem', { name: 'Copy as JSON-RPC' }).click();
    await expect.poll(() => host.asked.some(({ name }) => name === 'copy_as')).toBe(true);
    await expect.poll(() => app.toasts.list.length).toBe(1);
    expect(host.asked.find(({ name }) => name === 'copy_as')?.args).toMatchObject({
      form: 'json_rpc',
      exchange: 0,
    });
  });
});

describe('an import', () => {
  const menu = async (): Promise<void> => {
    await page.getByRole('button', { name: 'More for recordings' }).click();
    await page.getByRole('menuitem', { name: 'Import…' }).click();
  };

  it('opens what was brought in and says what is to be known of it', async () => {
    const { app } = await openWindow({ story: true });
    await menu();
    const banner = page.getByRole('region', { name: 'Past session' });
    await expect.element(banner.getByText('mcp.test')).toBeVisible();
    await expect.element(banner.getByText('3 of 40 entries are not MCP and are left out.')).toBeVisible();
    expect(app.past?.view.id).toBe('imported.mcpr');
  });

  it('says where a bad file is wrong, and takes another', async () => {
    const { host, app } = await openWindow({ story: true });
    host.transfers.fails = 'a.har could not be brought in. Entry 2 of 4 cannot be used.';
    await menu();
    const told = page.getByRole('dialog', { name: 'Import' });
    await expect.element(told.getByText(/Entry 2 of 4/)).toBeVisible();
    expect(await axeProblems()).toEqual([]);
    host.transfers.fails = null;
    await told.getByRole('button', { name: 'Another file…' }).click();
    await expect.poll(() => app.past?.view.id).toBe('imported.mcpr');
    await expect.element(told).not.toBeInTheDocument();
  });
});

describe('a past session', () => {
  it('has a filter line of its own, and the running one keeps its', async () => {
    const { host, app } = await openWindow({ story: true });
    const line = page.getByRole('combobox', { name: 'Filter the timeline' });
    await line.fill('method:tools/list');
    await expect.poll(() => app.live.timeline.line).toBe('method:tools/list');
    await page.getByRole('button', { name: /^checkout bug/ }).click();
    await expect.poll(() => app.timeline.totalRows).toBe(40);
    await expect.element(line).toHaveValue('');
    await line.fill('name:find_restaurants');
    await expect.poll(() => app.timeline.totalRows).toBeLessThan(40);
    const asked = host.asked.filter(({ name }) => name === 'look').at(-1)?.args;
    expect(asked).toMatchObject({
      recording: '2026-11-28 16.40.12 4f1c.mcpr',
      look: { line: 'name:find_restaurants' },
    });
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => app.timeline.selection.index).toBe(0);
    await page.getByRole('button', { name: 'Back to the live session' }).click();
    await expect.element(line).toHaveValue('method:tools/list');
    expect(document.activeElement).not.toBe(line.element());
  });
});
