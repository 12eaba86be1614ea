/** Finding rows as a person does it, in the whole window. */

import axe from 'axe-core';
import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { FakeHost } from '$lib/host/fake/fake';
import type { App } from '$lib/state/app.svelte';
import { openWindow } from '$lib/testing/window';

async function open(prepare?: (host: FakeHost) => void): Promise<App> {
  const { app } = await openWindow({ story: true, pace: 0 }, {}, prepare);
  await expect.poll(() => app.timeline.totalRows).toBeGreaterThan(0);
  return app;
}

const field = page.getByRole('combobox', { name: 'Filter the timeline' });
const rows = (): string[] =>
  [...document.querySelectorAll('[role=row][data-index]')].map((row) => row.getAttribute('aria-label') ?? '');

describe('the filter line', () => {
  it('is reached by Ctrl+F, completes fields and names, and filters the rows', async () => {
    const app = await open();
    const all = app.timeline.totalRows;
    await userEvent.keyboard('{Control>}f{/Control}');
    await expect.element(field).toHaveFocus();
    await userEvent.keyboard('meth');
    await expect.element(page.getByRole('option', { name: /method:/ })).toBeVisible();
    await userEvent.keyboard('{ArrowDown}{Enter}');
    await expect.element(field).toHaveValue('method:');
    await userEvent.keyboard('tools/c');
    await expect.element(page.getByRole('option', { name: /tools\/call/ })).toBeVisible();
    await userEvent.keyboard('{ArrowDown}{Tab}');
    await expect.element(field).toHaveValue('method:tools/call ');
    await expect.element(field).toHaveFocus();
    await expect.poll(() => app.timeline.totalRows).toBeLessThan(all);
    await expect.poll(() => rows().length).toBeGreaterThan(0);
    await expect.poll(() => rows().some((row) => row.startsWith('tools/list'))).toBe(false);
    expect(rows().some((row) => row.startsWith('tools/call'))).toBe(true);
    await expect
      .element(page.getByRole('status').filter({ hasText: /rows?$/ }))
      .toHaveTextContent(/^\d+ rows?$/);

    // Esc closes what is open, and then empties the line.
    await userEvent.keyboard('{Escape}');
    await expect.element(field).toHaveValue('method:tools/call ');
    await userEvent.keyboard('{Escape}');
    await expect.element(field).toHaveValue('');
    await expect.poll(() => app.timeline.totalRows).toBe(all);
  });

  it('steps through what fits by Enter and F3, and marks the text in the details', async () => {
    const app = await open();
    await field.click();
    await userEvent.keyboard('method:tools');
    await userEvent.keyboard('{Escape}{Enter}');
    await expect.poll(() => app.timeline.selection.index).toBe(0);
    const first = app.timeline.selection.key;
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => app.timeline.selection.key).not.toBe(first);
    const second = app.timeline.selection.key;
    await userEvent.keyboard('{Shift>}{Enter}{/Shift}');
    await expect.poll(() => app.timeline.selection.key).toBe(first);
    await page.getByRole('treegrid').click({ position: { x: 300, y: 10 } });
    await userEvent.keyboard('{F3}');
    await expect.poll(() => app.timeline.selection.key).toBe(second);
    await userEvent.keyboard('{Shift>}{F3}{/Shift}');
    await expect.poll(() => app.timeline.selection.key).toBe(first);

    await field.fill('jsonrpc');
    await userEvent.keyboard('{Enter}');
    await page.getByRole('tab', { name: 'Request', exact: true }).click();
    await expect.poll(() => document.querySelectorAll('.details .hit').length).toBeGreaterThan(0);
    expect(document.querySelector('.details .hit')?.textContent).toBe('jsonrpc');
  });

  it('says what is wrong where it stands, and leaves the rows as they were', async () => {
    const app = await open();
    const all = app.timeline.totalRows;
    await field.fill('nofield:x');
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByRole('alert')).toHaveTextContent('There is no field “nofield”.');
    await expect.element(field).toHaveAttribute('aria-invalid', 'true');
    expect(document.querySelector('#find-problem mark')?.textContent).toBe('nofield');
    expect(app.timeline.totalRows).toBe(all);
    const found = await axe.run(document.body, { runOnly: ['wcag2a', 'wcag2aa'] });
    expect(
      found.violations.map((violation) => [violation.id, violation.nodes.map((node) => node.html)]),
    ).toEqual([]);
  });

  it('says when no row fits, and is cleared from there', async () => {
    const app = await open();
    await field.fill('no such text anywhere');
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByText('No rows match')).toBeVisible();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await expect.element(field).toHaveValue('');
    await expect.poll(() => app.timeline.totalRows).toBeGreaterThan(0);
  });

  it('shows how far a search is, and stops it', async () => {
    const stopped: string[] = [];
    await open((host) => {
      const real = host.rpc.bind(host);
      host.rpc = (async (name: string, args: never) => {
        if (name === 'stop_search') stopped.push(name);
        const reply: unknown = await real(name as never, args);
        if (name === 'look' && (args as { look: { line: string } }).look.line !== '') {
          const search = {
            state: stopped.length > 0 ? 'stopped' : 'searching',
            searched_byte_len: 43,
            byte_len: 100,
            problem: null,
          };
          return { ...(reply as object), find: { line: 'x', search } };
        }
        return reply;
      }) as typeof host.rpc;
    });
    await field.fill('zzz');
    await userEvent.keyboard('{Enter}');
    await expect
      .element(page.getByRole('progressbar', { name: 'Searched' }))
      .toHaveAttribute('aria-valuenow', '43');
    await expect.element(page.getByText('Nothing found yet')).toBeVisible();
    await page.getByRole('button', { name: 'Stop searching' }).click();
    expect(stopped).toEqual(['stop_search']);
  });

  it('is remembered for its session while the window lasts', async () => {
    const { close } = await openWindow({ story: true, pace: 0 });
    await field.fill('status:error');
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => sessionStorage.length).toBe(1);
    await close();
    const app = await open();
    await expect.element(field).toHaveValue('status:error');
    await expect.poll(() => app.timeline.line).toBe('status:error');
  });
});
