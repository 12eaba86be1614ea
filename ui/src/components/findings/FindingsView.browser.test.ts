import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import type { Severity } from '$lib/bindings/Severity';
import type { FakeHost } from '$lib/host/fake/fake';
import { axeProblems } from '$lib/testing/axe';
import { openWindow } from '$lib/testing/window';
import type { App } from '$lib/state/app.svelte';

const open = (): Promise<{ host: FakeHost; app: App }> =>
  openWindow({ story: true }, { server: 'bookings', tab: 'findings' });

/** Something is found in the story's long call, and the feed goes on. */
function find(host: FakeHost, rule: string, severity: Severity, message: string, times = 1): void {
  const call = host.journal.operations.find((one) => one.findings.length > 0);
  if (call === undefined) throw new Error('no call with findings');
  for (let at = 0; at < times; at += 1) {
    call.findings.push({ rule, severity, message, clause: '2026-07-28 basic § Messages' });
  }
  host.journal.event(call, 'note', 'more');
  host.tick();
}

const view = page.getByRole('region', { name: 'Findings', exact: true });
const rules = (): string[] =>
  [...document.querySelectorAll('section[aria-label=Findings] button[aria-expanded] b')].map(
    (rule) => rule.textContent,
  );

describe('the findings about a server', () => {
  it('stand by rule, the worst and the most frequent first, and are counted as they come', async () => {
    const { host } = await open();
    await expect.poll(rules).toEqual(['result type missing']);
    await expect.element(page.getByRole('tab', { name: /^Findings\s*1$/ })).toBeVisible();

    find(host, 'progress-not-increasing', 'should', 'went from 5 to 4', 3);
    find(host, 'id-type-changed', 'must', 'id 4 came back as "4"', 2);
    await expect.poll(rules).toEqual(['id type changed', 'result type missing', 'progress not increasing']);
    await expect.element(view.getByRole('status')).toHaveTextContent('6 findings about 3 rules');
    await expect.element(page.getByRole('tab', { name: /^Findings\s*6$/ })).toBeVisible();
  });

  it('lead to the rows that they were seen in, page by page', async () => {
    const { host, app } = await open();
    find(host, 'progress-not-increasing', 'should', 'went back\u202e', 120);
    await view.getByRole('button', { name: /progress not increasing/ }).click();
    const places = view.getByRole('list', { name: 'Where: progress not increasing' });
    await expect.poll(() => places.getByRole('button').elements().length).toBe(50);
    await view.getByRole('button', { name: 'Show more of 120' }).click();
    await expect.poll(() => places.getByRole('button').elements().length).toBe(100);
    await view.getByRole('button', { name: 'Show more of 120' }).click();
    await expect.poll(() => places.getByRole('button').elements().length).toBe(120);
    expect(document.querySelector('section[aria-label=Findings]')?.textContent).not.toContain('\u202e');

    await places.getByRole('button').first().click();
    const call = host.journal.operations.find((one) => one.findings.length > 0);
    await expect.poll(() => app.live.timeline.selection.key).toBe(`o${call?.id}`);
  });

  it('lead back from a past session to the running one', async () => {
    const { host, app } = await open();
    const past = host.recordings.all.find(({ state }) => state === 'past');
    await app.recordings.open(past?.id ?? '');
    expect(app.past).not.toBeNull();
    await view.getByRole('button', { name: /result type missing/ }).click();
    const places = view.getByRole('list', { name: 'Where: result type missing' });
    await places.getByRole('button').first().click();
    expect(app.past).toBeNull();
    const call = host.journal.operations.find((one) => one.findings.length > 0);
    await expect.poll(() => app.timeline.selection.key).toBe(`o${call?.id}`);
  });

  it('say that there are none, and belong to one server', async () => {
    const { app } = await open();
    await expect.poll(rules).toEqual(['result type missing']);
    app.preferences.set({ server: 'filesystem' });
    await expect.element(view.getByText('Nothing was found wrong')).toBeVisible();
    await expect.element(page.getByRole('tab', { name: /^Findings/ })).toHaveTextContent(/^Findings$/);
  });

  it('are clean by axe, and cut nothing in a narrow window', async () => {
    const { host } = await open();
    find(host, 'x'.repeat(300), 'note', 'y'.repeat(3000), 2);
    await expect.poll(rules).toHaveLength(2);
    for (const open of document.querySelectorAll<HTMLElement>(
      'section[aria-label=Findings] button[aria-expanded]',
    )) {
      open.click();
    }
    for (const width of [1280, 760]) {
      await page.viewport(width, 800);
      expect(await axeProblems()).toEqual([]);
      const box = document.querySelector('section[aria-label=Findings]');
      expect(box?.scrollWidth).toBeLessThanOrEqual(box?.clientWidth ?? 0);
    }
    await page.viewport(1280, 800);
  });
});
