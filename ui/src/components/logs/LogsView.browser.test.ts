import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { axeProblems } from '$lib/testing/axe';
import { openWindow } from '$lib/testing/window';

type Window = Awaited<ReturnType<typeof openWindow>>;

const log = page.getByRole('listbox', { name: 'Log' });
const line = (name: RegExp): ReturnType<typeof log.getByRole> => log.getByRole('option', { name });

async function openLogs(count: number): Promise<Window> {
  const window = await openWindow({ story: true }, { tab: 'logs', rightOpen: false });
  const server = window.app.chosen?.id ?? '';
  window.host.logs.write(server, count);
  await expect.element(page.getByRole('region', { name: 'Logs' })).toBeVisible();
  return window;
}

describe('the log of a server', () => {
  it('is filtered by level, logger, source and text, and says so', async () => {
    await openLogs(8);
    await expect.element(line(/The oven is on\./)).toBeVisible();
    await expect.element(line(/stderr.*READY listening on port 8080/)).toBeVisible();
    await expect.element(line(/loud.*⟨U\+202E⟩reversed/)).toBeVisible();

    await page.getByRole('combobox', { name: 'From which level on' }).selectOptions('error and worse (2)');
    await expect.element(line(/The oven is on\./)).not.toBeInTheDocument();
    // What has no known level is never hidden by one.
    await expect.element(line(/loud/)).toBeVisible();
    await expect.element(page.getByText('4 of 8 lines')).toBeVisible();

    await page.getByRole('combobox', { name: 'Which logger' }).selectOptions('kitchen (4)');
    await expect.element(page.getByText('2 of 8 lines')).toBeVisible();
    await page.getByRole('textbox', { name: 'Filter the log' }).fill('nothing of the kind');
    await expect.element(page.getByText('No line fits')).toBeVisible();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await expect.element(line(/The oven is on\./)).toBeVisible();

    await page.getByRole('combobox', { name: 'What is shown' }).selectOptions('stderr (1)');
    await expect.element(page.getByText('1 of 8 lines')).toBeVisible();
    expect(await axeProblems({ page: true, exclude: ['.resizer'] })).toEqual([]);
  });

  it('is filtered also after another page was looked at', async () => {
    await openLogs(8);
    await page.getByRole('tab', { name: 'Overview' }).click();
    await expect.element(page.getByRole('region', { name: 'Logs' })).not.toBeInTheDocument();
    await page.getByRole('tab', { name: 'Logs' }).click();
    await page.getByRole('combobox', { name: 'From which level on' }).selectOptions('error and worse (2)');
    await expect.element(page.getByText('4 of 8 lines')).toBeVisible();
  });

  it('of 20 000 lines draws those in sight, follows the end and is walked by keys', async () => {
    const { host, app } = await openLogs(20_000);
    await expect.element(line(/\(19999\)/)).toBeVisible();
    expect(log.element().querySelectorAll('[role=option]').length).toBeLessThan(200);
    host.logs.write(app.chosen?.id ?? '', 1);
    host.tellSomething();
    await expect.element(line(/\(20000\)/)).toBeVisible();

    await line(/\(20000\)/).click();
    await expect
      .element(page.getByRole('region', { name: 'Logs' }).getByRole('button', { name: 'Follow' }))
      .toHaveAttribute('aria-pressed', 'false');
    await userEvent.keyboard('{ArrowUp}');
    await expect.element(page.getByRole('region', { name: 'The chosen line' })).toHaveTextContent('(19999)');
    log.element().scrollTop = 0;
    await expect.element(line(/The oven is on\.$/)).toBeVisible();
    await userEvent.keyboard('{End}');
    await expect.element(line(/\(20000\)/)).toBeVisible();
  });

  it('shows a chosen line whole, with every digit, and its row in the timeline', async () => {
    const { host } = await openLogs(8);
    await line(/"table":4/).click();
    const whole = page.getByRole('region', { name: 'The chosen line' });
    await expect.element(whole).toHaveTextContent(/"id": 12345678901234567890/);
    await whole.getByRole('button', { name: 'Show in timeline' }).click();
    await expect.poll(() => host.asked.some(({ name }) => name === 'locate_row')).toBe(true);
    expect(await axeProblems({ page: true, exclude: ['.resizer'] })).toEqual([]);
  });

  it('without lines says what to do, and the level is asked for', async () => {
    const { host } = await openLogs(0);
    await expect.element(page.getByText('Nothing was logged yet')).toBeVisible();
    await expect.element(page.getByText(/logs only what a request asks for/)).toBeVisible();
    await page.getByRole('combobox', { name: 'What the server is to log' }).selectOptions('from debug on');
    await expect
      .poll(() => host.asked.find(({ name }) => name === 'set_log_level')?.args)
      .toMatchObject({ level: 'debug' });
    await expect.element(page.getByText('What the server logs is shown here as it comes.')).toBeVisible();
  });

  it('goes on while a level that was refused says why', async () => {
    const { host, app } = await openLogs(1);
    host.logs.refuses = 'The server answered error -32601: Method not found';
    await page.getByRole('combobox', { name: 'What the server is to log' }).selectOptions('from debug on');
    const refusal = page.getByRole('region', { name: 'Logs' }).getByRole('alert');
    await expect.element(refusal).toHaveTextContent(/The level could not be set.*Method not found/);
    host.logs.write(app.chosen?.id ?? '', 1);
    host.tellSomething();
    await expect.element(page.getByText('2 lines')).toBeVisible();
    await expect.element(refusal).toBeVisible();

    host.logs.refuses = null;
    await page.getByRole('combobox', { name: 'What the server is to log' }).selectOptions('from info on');
    await expect.element(refusal).not.toBeInTheDocument();
  });
});
