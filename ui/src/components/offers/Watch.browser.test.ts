/** A resource that is subscribed to. */

import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { axeProblems } from '$lib/testing/axe';
import { openWindow } from '$lib/testing/window';

describe('a resource that is subscribed to', { timeout: 60_000 }, () => {
  it('is read again when the server tells of a change, and shown beside what it was', async () => {
    const { host } = await openWindow({ story: true, pace: 0 }, { tab: 'resources', rightOpen: false });
    await page.getByRole('option', { name: /^Lunch menu/ }).click({ timeout: 30_000 });
    const pane = page.getByRole('region', { name: 'Resource lunch' });
    await pane.getByRole('button', { name: 'Subscribe' }).click();
    await expect.element(pane).toHaveTextContent('nothing has changed since');
    const reads = (): number => host.asked.filter(({ name }) => name === 'read_resource').length;
    const before = reads();
    expect(before).toBe(1);
    host.subscriptions.change('bookings://menu/lunch');
    await expect.poll(reads).toBe(2);
    await expect.element(pane.getByRole('region', { name: 'What changed' })).toBeVisible();
    await expect.element(pane).toHaveTextContent('the server told of 1 change');
    expect(await axeProblems({ page: true, exclude: ['.resizer'] })).toEqual([]);
    await pane.getByRole('button', { name: 'Unsubscribe' }).click();
    await expect.element(pane.getByRole('button', { name: 'Subscribe' })).toBeVisible();
    expect(host.subscriptions.all).toEqual([]);
  });
});
