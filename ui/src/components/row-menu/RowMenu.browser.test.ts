import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { axeProblems } from '$lib/testing/axe';
import { openWindow } from '$lib/testing/window';

const row = (name: RegExp): ReturnType<typeof page.getByRole> => page.getByRole('row', { name }).first();
const menu = page.getByRole('menu', { name: 'What can be done with the row' });
const selected = (): string[] =>
  page
    .getByRole('row', { selected: true })
    .elements()
    .map((one) => one.getAttribute('aria-label')?.split(',')[0] ?? '');
const exporting = page.getByRole('dialog', { name: 'Export' });

describe('several rows', () => {
  it('are selected with Ctrl and Shift, and taken away together', async () => {
    const { app, host } = await openWindow({ story: true });
    await row(/^server\/discover/).click();
    await row(/^initialize/).click({ modifiers: ['Control'] });
    expect(selected()).toEqual(['server/discover', 'initialize']);
    await expect.element(page.getByRole('button', { name: '2 selected' })).toBeVisible();
    // What is selected already is left out again.
    await row(/^server\/discover/).click({ modifiers: ['Control'] });
    await row(/^server\/discover/).click({ modifiers: ['Control'] });
    expect(app.timeline.selectedKeys).toHaveLength(2);

    await row(/^server\/discover/).click();
    await row(/^initialize/).click({ modifiers: ['Shift'] });
    expect(selected()).toEqual(['server/discover', 'tools/list', 'initialize']);
    // The stretch begins where it began.
    await row(/^tools\/list/).click({ modifiers: ['Shift'] });
    expect(selected()).toEqual(['server/discover', 'tools/list']);
    expect(await axeProblems()).toEqual([]);

    await userEvent.keyboard('{Control>}e{/Control}');
    await expect.element(exporting.getByRole('radio', { name: 'The 2 selected rows' })).toBeChecked();
    await expect.poll(() => host.transfers.begun.at(-1)?.scope).toEqual({ kind: 'rows', keys: ['o0', 'o1'] });
    await userEvent.keyboard('{Escape}');
    await expect.element(exporting).not.toBeInTheDocument();
    await row(/^initialize/).click();
    expect(selected()).toEqual(['initialize']);
  });

  it('are selected by keys alone', async () => {
    const { app } = await openWindow({ story: true });
    await row(/^server\/discover/).click();
    page.getByRole('treegrid').element().dispatchEvent(new Event('focus'));
    (page.getByRole('treegrid').element() as HTMLElement).focus();
    await userEvent.keyboard('{Shift>}{ArrowDown}{ArrowDown}{/Shift}');
    expect(selected()).toEqual(['server/discover', 'tools/list', 'initialize']);
    await userEvent.keyboard('{Shift>}{ArrowUp}{/Shift}');
    expect(selected()).toEqual(['server/discover', 'tools/list']);
    // Walking on and picking one beside them.
    await userEvent.keyboard('{Control>}{ArrowDown}{ArrowDown}{ArrowDown} {/Control}');
    expect(app.timeline.picked.size).toBe(3);
    await userEvent.keyboard('{Escape}');
    expect(app.timeline.picked.size).toBe(0);
    await userEvent.keyboard('{Control>}a{/Control}');
    await expect.poll(() => app.timeline.picked.size).toBe(app.timeline.totalRows);
    await userEvent.keyboard('{ArrowUp}');
    expect(app.timeline.picked.size).toBe(0);
  });

  it('reach beyond the rows that are here', async () => {
    const { app } = await openWindow({ story: true, rows: 20_000 });
    await expect.poll(() => app.timeline.totalRows).toBeGreaterThan(20_000);
    app.timeline.setFollow(false);
    app.timeline.selectAt(0);
    (page.getByRole('treegrid').element() as HTMLElement).focus();
    await userEvent.keyboard('{Shift>}{End}{/Shift}');
    await expect.poll(() => app.timeline.picked.size).toBe(10_000);
    await expect.element(page.getByRole('button', { name: /10 000 \(the most\) selected/ })).toBeVisible();
  });
});

describe('the menu of a row', () => {
  it('opens at the pointer and by keys, and says what can be done', async () => {
    const { host } = await openWindow({ story: true });
    await row(/^tools\/call book_table/).click({ button: 'right' });
    await expect.element(menu).toBeVisible();
    const items = menu
      .getByRole('menuitem')
      .elements()
      .map((one) => one.textContent.trim());
    expect(items).toEqual([
      'Show the details',
      'Fold',
      'Copy as cURL',
      'Copy as JSON-RPC',
      'Copy as roundtrip-cli',
      'Send again',
      'Edit and send…',
      'Export this row…',
      'Copy as text',
    ]);
    expect(await axeProblems()).toEqual([]);
    await userEvent.keyboard('{Escape}');
    await expect.element(menu).not.toBeInTheDocument();
    // The focus is back among the rows, and the other key opens it below the row.
    await expect.element(page.getByRole('treegrid')).toHaveFocus();
    await userEvent.keyboard('{Shift>}{F10}{/Shift}');
    await expect.element(menu).toBeVisible();
    await menu.getByRole('menuitem', { name: 'Export this row…' }).click();
    await expect.element(exporting.getByRole('radio', { name: 'The selected row' })).toBeChecked();
    await expect
      .poll(() => host.transfers.begun.at(-1)?.scope)
      .toMatchObject({ kind: 'rows', keys: [expect.stringMatching(/^o\d+$/)] });
  });

  it('is about all that are selected, when it is opened on one of them', async () => {
    await openWindow({ story: true });
    await row(/^server\/discover/).click();
    await row(/^initialize/).click({ modifiers: ['Shift'] });
    await row(/^tools\/list/).click({ button: 'right' });
    await menu.getByRole('menuitem', { name: 'Export 3 rows…' }).click();
    await expect.element(exporting.getByRole('radio', { name: 'The 3 selected rows' })).toBeChecked();
    await userEvent.keyboard('{Escape}');
    // On another one it is about that one.
    await row(/^tools\/call cancel_booking/).click({ button: 'right' });
    await expect.element(menu.getByRole('menuitem', { name: 'Export this row…' })).toBeVisible();
  });

  it('copies a request', async () => {
    await openWindow({ story: true });
    await row(/^tools\/list/).click({ button: 'right' });
    await menu.getByRole('menuitem', { name: 'Copy as JSON-RPC' }).click();
    await expect.element(page.getByText(/^Copied as JSON-RPC/)).toBeVisible();
  });
});
