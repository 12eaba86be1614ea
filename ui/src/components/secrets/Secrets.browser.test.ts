import axe from 'axe-core';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { FakeHost } from '$lib/host/fake/fake';
import type { App } from '$lib/state/app.svelte';
import { openWindow } from '$lib/testing/window';
import { namesIn } from './words';

async function open(change?: (host: FakeHost) => void): Promise<{ host: FakeHost; app: App }> {
  const { host, app } = await openWindow({ story: true }, {}, change);
  app.secrets.open();
  await expect.poll(() => app.secrets.list).toBeDefined();
  return { host, app };
}

const dialog = page.getByRole('dialog', { name: 'Secrets' });
const button = (name: string) => dialog.getByRole('button', { name, exact: true });
const BILLING = 'billing-staging/Authorization';
const VALUE = `value of ${BILLING}`;

describe('secrets', () => {
  it('are listed with their store, where they are used and when they were last', async () => {
    await open();
    await expect.element(dialog).toHaveTextContent('Kept in Secret Service, unlocked.');
    await expect.element(dialog).toHaveTextContent('header Authorization of billing-staging');
    await expect.element(dialog).toHaveTextContent('last used 1 h');
    await expect.element(dialog).toHaveTextContent('missing');
    expect(document.body.textContent).not.toContain(VALUE);
  });

  it('are shown on demand alone, and hidden when the window loses the focus', async () => {
    const { host } = await open();
    await button(`Show ${BILLING}`).click();
    await expect.element(dialog.getByLabelText(`Value of ${BILLING}`)).toHaveTextContent(VALUE);
    window.dispatchEvent(new Event('blur'));
    await expect.poll(() => document.body.textContent).not.toContain(VALUE);
    // Tokens have no such button.
    expect(host.asked.filter(({ name }) => name === 'show_secret')).toHaveLength(1);
    await expect.element(button('Show sign-in 0199')).not.toBeInTheDocument();
  });

  it('are deleted with a way back, and tokens after a question', async () => {
    const { host } = await open();
    await button(`Delete ${BILLING}`).click();
    await expect.element(button(`Bring back ${BILLING}`)).toBeVisible();
    await button(`Bring back ${BILLING}`).click();
    await expect.element(button(`Delete ${BILLING}`)).toBeVisible();
    await button('Delete sign-in 0199').click();
    expect(host.asked.filter(({ name }) => name === 'delete_secret')).toHaveLength(1);
    await expect.element(dialog).toHaveTextContent('You have to sign in again.');
    await button('Delete sign-in 0199 for good').click();
    await expect.element(button('Delete sign-in 0199')).not.toBeInTheDocument();
  });

  it('say why one could not be deleted', async () => {
    const { host } = await open();
    // It went meanwhile: its server was removed.
    host.secrets.all = host.secrets.all.filter(({ name }) => name !== BILLING);
    await button(`Delete ${BILLING}`).click();
    await expect
      .element(dialog.getByRole('alert'))
      .toHaveTextContent(`No server uses a secret named ${BILLING}.`);
    await button('Look again').click();
    await expect.element(button(`Delete ${BILLING}`)).not.toBeInTheDocument();
    await expect.element(dialog.getByRole('alert')).not.toBeInTheDocument();
  });

  it('are replaced, also for this session only where the keyring is locked', async () => {
    const { host } = await open((one) => (one.secrets.condition = 'locked'));
    await expect.element(dialog).toHaveTextContent('Unlock your keyring');
    await button(`Replace ${BILLING}`).click();
    await dialog.getByLabelText('New value').fill('fresh');
    await button('Replace').click();
    await expect.element(dialog).toHaveTextContent('Secret Service is locked');
    await button('Keep for this session only').click();
    await expect.element(dialog).toHaveTextContent('this session only');
    expect(host.secrets.values.get(BILLING)).toBe('fresh');
    await button('Unlock keyring').click();
    await expect.element(dialog).toHaveTextContent('Kept in Secret Service, unlocked.');
  });

  it('that stand in the clear are moved into the keyring', async () => {
    const { host } = await open();
    await button('Move into the keyring: GITHUB_TOKEN of filesystem').click();
    await expect.poll(() => host.secrets.clear).toHaveLength(1);
    await expect.element(dialog).toHaveTextContent('api-key in an argument of filesystem');
    await button('Move into the keyring: api-key of filesystem').click();
    await expect.poll(() => host.secrets.clear).toEqual([]);
    const moved = host.asked.filter(({ name }) => name === 'move_secret').map(({ args }) => args);
    expect(moved[1]).toEqual({ server: 'srv-2', name: 'api-key', place: 'argument' });
    await expect.element(dialog).not.toHaveTextContent('in the clear');
  });

  it('are found by typing among very many', async () => {
    await open((host) => {
      for (let nth = 0; nth < 10_000; nth += 1) host.secrets.add(`server ${nth}/Token`, 'header Token');
    });
    await expect.element(dialog).toHaveTextContent('more secrets: find them by typing.');
    await dialog.getByRole('searchbox').fill('server 9876');
    await expect.element(button('Show server 9876/Token')).toBeVisible();
  });

  it('say what to do where there are none', async () => {
    await open((host) => {
      host.secrets.all = [];
      host.secrets.clear = [];
      host.secrets.condition = 'absent';
    });
    await expect.element(dialog).toHaveTextContent('No secrets');
    await expect.element(dialog).toHaveTextContent('Start a keyring');
  });

  it('open by the keyboard and from the status bar', async () => {
    const { app } = await open();
    await button('Done').click();
    await expect.element(dialog).not.toBeInTheDocument();
    await userEvent.keyboard('{Control>}{Shift>}k{/Shift}{/Control}');
    await expect.element(dialog).toBeVisible();
    await userEvent.keyboard('{Escape}');
    expect(app.secrets.isOpen).toBe(false);
    await expect.element(dialog).not.toBeInTheDocument();
    await page.getByRole('button', { name: /^keyring:/ }).click();
    await expect.element(dialog).toBeVisible();
  });

  for (const theme of ['light', 'dark'] as const) {
    it(`has nothing that axe finds, ${theme}`, async () => {
      const { app } = await open((host) => (host.secrets.condition = 'locked'));
      app.preferences.set({ theme });
      await button(`Show ${BILLING}`).click();
      await button(`Replace ${BILLING}`).click();
      const { violations } = await axe.run(dialog.element());
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      app.preferences.set({ theme: 'system' });
    });
  }
});

describe('hidden values', () => {
  it('are known by their names', () => {
    expect(namesIn('a ${secret:x/Y} b ${secret:x/Y} c ${secret:z}')).toEqual(['x/Y', 'z']);
    expect(namesIn('no ${secret:} here')).toEqual([]);
  });
});
