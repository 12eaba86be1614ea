/** What the overview tells of a server beside its report. */

import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { axeProblems } from '$lib/testing/axe';
import { openWindow } from '$lib/testing/window';

describe('the overview', { timeout: 60_000 }, () => {
  it('draws the icon that the core looked at as an image, and says which were refused', async () => {
    await openWindow({ story: true }, { tab: 'overview', rightOpen: false });
    await expect.element(page.getByText('Icons not drawn')).toBeVisible();
    await expect.element(page.getByText(/neither https nor data, but http/)).toBeVisible();
    const images = [...document.querySelectorAll<HTMLImageElement>('main img')];
    expect(images.map(({ src }) => src.slice(0, 26))).toEqual(['data:image/svg+xml;base64,']);
    // A picture of markup is an image, and no markup of the page.
    expect(document.querySelector('main header svg')).toBeNull();
  });

  it('tells what changed since the last connect, and compares long texts', async () => {
    const { host } = await openWindow({ story: true }, { tab: 'overview', rightOpen: false });
    const changes = page.getByRole('region', { name: 'What changed since the last connect' });
    await expect.element(changes).toHaveTextContent(/version.*1\.3\.0.*1\.4\.0/);
    await expect.element(changes).toHaveTextContent(/tools\s*new\s*cancel_booking/);
    await expect.element(changes).toHaveTextContent(/tools\s*gone\s*old_tool/);
    await changes.getByRole('button', { name: 'Compare' }).click();
    await expect.element(page.getByRole('dialog')).toHaveTextContent('Be very kind.');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    expect(await axeProblems({ page: true, exclude: ['.resizer'] })).toEqual([]);
    expect(host.asked.some(({ name }) => name === 'server_changes')).toBe(true);
  });

  it('says that nothing differs, and is silent where nothing was known before', async () => {
    const window = await openWindow({ story: true }, { tab: 'tools', rightOpen: false });
    window.host.about.changes = { since_micros: 1, facts: [], lists: [] };
    window.app.preferences.set({ tab: 'overview' });
    await expect.element(page.getByText(/Nothing differs in what is known by now/)).toBeVisible();
    window.app.preferences.set({ tab: 'tools' });
    window.host.about.changes = { since_micros: null, facts: [], lists: [] };
    window.app.preferences.set({ tab: 'overview' });
    await expect.element(page.getByRole('heading', { name: 'Instructions' })).toBeVisible();
    await expect.element(page.getByText('What changed since the last connect')).not.toBeInTheDocument();
  });
});
