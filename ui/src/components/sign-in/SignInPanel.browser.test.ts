import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import type { FakeHost } from '$lib/host/fake/fake';
import { axeProblems } from '$lib/testing/axe';
import { openWindow } from '$lib/testing/window';

async function open(): Promise<FakeHost> {
  const { host } = await openWindow({ story: true, pace: 0 }, { server: 'billing', tab: 'overview' });
  return host;
}

const steps = page.getByRole('list', { name: 'Steps of the sign-in' });

describe('sign-in', () => {
  it('is one button away, and shows each step, what is held, and a way out', async () => {
    const host = await open();
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect.element(page.getByRole('button', { name: 'Sign in again' })).toBeVisible();
    const chip = page.getByRole('banner').getByText('OAuth · keyring');
    await expect.element(chip).toBeVisible();
    expect(host.asked.find(({ name }) => name === 'sign_in')?.args).toEqual({
      server: 'billing',
      step_by_step: false,
    });
    await expect.element(steps.getByText('Protected resource metadata')).toBeVisible();
    await expect.element(page.getByText('rt-4711', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect.element(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
    await expect.element(chip).not.toBeInTheDocument();
  });

  it('that fails says which rule, by which clause, and what the server should change', async () => {
    const host = await open();
    host.signIns.isBroken = true;
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect.element(page.getByText('The sign-in failed')).toBeVisible();
    await expect.element(steps.getByText('RFC 8414 § 3.3')).toBeVisible();
    await expect.element(steps.getByText(/Set "issuer" to exactly/)).toBeVisible();
  });

  it('goes step by step where that is wanted', async () => {
    const host = await open();
    await page.getByRole('button', { name: 'Step by step' }).click();
    await page.getByRole('button', { name: 'Next step' }).click();
    await expect.element(steps.getByText('The server refuses')).toBeVisible();
    expect(steps.getByText('Dynamic registration').elements()).toHaveLength(0);
    await page.getByRole('button', { name: 'All the rest' }).click();
    await expect.element(page.getByRole('button', { name: 'Sign in again' })).toBeVisible();
    expect(host.asked.filter(({ name }) => name === 'sign_in_next').map(({ args }) => args)).toEqual([
      { server: 'billing', to_the_end: false },
      { server: 'billing', to_the_end: true },
    ]);
  });

  it('can be tried with other options, which are saved only on demand', async () => {
    const host = await open();
    await page.getByText('Options', { exact: true }).click();
    await page.getByLabelText('Client id', { exact: true }).fill('  mine ');
    await page.getByLabelText('Resource', { exact: true }).fill('https://elsewhere.example/mcp');
    await page.getByRole('button', { name: 'Try once' }).click();
    await expect.element(page.getByRole('button', { name: 'Sign in again' })).toBeVisible();
    const trial = host.asked.find(({ name }) => name === 'sign_in')?.args;
    expect(trial).toMatchObject({
      server: 'billing',
      trial: { client_id: 'mine', resource: 'https://elsewhere.example/mcp', scopes: null, how: 'person' },
    });
    expect(host.asked.some(({ name }) => name === 'save_sign_in')).toBe(false);

    // A secret goes into the keyring first, and not into the options.
    await page.getByLabelText('Client secret').fill('hush');
    await expect.element(page.getByRole('button', { name: 'Try once' })).toBeDisabled();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.element(page.getByLabelText('Client secret')).toHaveValue('');
    const saved = host.asked.find(({ name }) => name === 'save_sign_in')?.args;
    expect(saved).toMatchObject({
      options: { client_id: 'mine' },
      secrets: { client_secret: 'hush' },
    });
    expect(JSON.stringify((saved as { options: unknown }).options)).not.toContain('hush');
    await expect
      .element(page.getByLabelText('Client secret'))
      .toHaveAttribute('placeholder', 'in the keyring; type to replace it');
  });

  it('asks for what the chosen way of consent needs', async () => {
    await open();
    await page.getByText('Options', { exact: true }).click();
    await page.getByLabelText('Consent by').selectOptions('identity_assertion');
    await expect.element(page.getByLabelText('Id token')).toBeVisible();
    await expect.element(page.getByLabelText('Authorization endpoint')).not.toBeInTheDocument();
    await page.getByLabelText('Consent by').selectOptions('jwt_bearer');
    await expect.element(page.getByLabelText('Workload’s JWT')).toBeVisible();
    await expect.element(page.getByLabelText('Client id', { exact: true })).not.toBeInTheDocument();
  });

  describe('axe finds nothing, in both themes,', { timeout: 60_000 }, () => {
    const problems = (): Promise<string[]> => axeProblems({ page: true, exclude: ['.resizer'] });

    it('before it, and in its options', async () => {
      await open();
      await expect.element(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
      expect(await problems()).toEqual([]);
      await page.getByText('Options', { exact: true }).click();
      for (const how of ['client_credentials', 'jwt_bearer', 'identity_assertion', 'person']) {
        await page.getByLabelText('Consent by').selectOptions(how);
        expect(await problems()).toEqual([]);
      }
    });

    it('step by step, and when it is done', async () => {
      await open();
      await page.getByRole('button', { name: 'Step by step' }).click();
      await page.getByRole('button', { name: 'Next step' }).click();
      await expect.element(steps.getByText('The server refuses')).toBeVisible();
      expect(await problems()).toEqual([]);
      await page.getByRole('button', { name: 'All the rest' }).click();
      await expect.element(page.getByRole('button', { name: 'Sign in again' })).toBeVisible();
      for (const summary of document.querySelectorAll<HTMLElement>('.sign-in details:not([open]) > summary'))
        summary.click();
      expect(await problems()).toEqual([]);
    });

    it('when it has failed', async () => {
      const host = await open();
      host.signIns.isBroken = true;
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await expect.element(page.getByText('The sign-in failed')).toBeVisible();
      expect(await problems()).toEqual([]);
    });
  });
});
