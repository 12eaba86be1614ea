import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { axeProblems } from '$lib/testing/axe';
import { openOn, openWindow } from '$lib/testing/window';

const row = (name: string | RegExp): ReturnType<typeof page.getByRole> => page.getByRole('row', { name });
const rowNames = (): string[] =>
  [...document.querySelectorAll('[role=row][data-index]')].map((one) => one.getAttribute('aria-label') ?? '');
const selectedName = (): string | undefined =>
  document.querySelector('[role=row][aria-selected=true]')?.getAttribute('aria-label') ?? undefined;

// A separator between two landmarks lies in neither; the palette's list is scrolled from its input.
const violations = (theme?: 'light' | 'dark'): Promise<string[]> =>
  axeProblems({
    page: true,
    exclude: ['.resizer', '.palette-list'],
    ...(theme === undefined ? {} : { themes: [theme] }),
  });

describe('the first minutes', () => {
  it('connect, list, call, read the result and its row', async () => {
    const { app } = await openWindow({ fresh: true });
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await expect.element(page.getByRole('heading', { name: 'Demo server' })).toBeVisible();
    await expect.element(row(/^server\/discover/)).toBeVisible();

    await page.getByRole('tab', { name: /Tools/ }).click();
    await page.getByRole('option', { name: /always_fails/ }).click();
    await page.getByRole('button', { name: /^Call/ }).click();
    await expect.element(page.getByText('The kitchen is closed.').first()).toBeVisible();
    await expect.element(row(/^tools\/call always_fails, tool error/)).toBeVisible();
    // The row of the call is selected, so its bytes are beside it.
    await expect.poll(() => app.details.details?.title).toBe('tools/call always_fails');
    await page.getByRole('tab', { name: 'Response' }).click();
    await expect.element(page.getByRole('group', { name: 'Response' })).toHaveTextContent('"isError": true');
  });

  it('a prompt is answered beside the timeline, and the call goes on', async () => {
    const { host } = await openWindow({ fresh: true });
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('tab', { name: /Tools/ }).click();
    await page.getByRole('option', { name: /book_table/ }).click();
    await page.getByRole('textbox', { name: /restaurant/ }).fill('Lucia');
    await page.getByRole('textbox', { name: /date/ }).fill('2026-12-04');
    await userEvent.keyboard('{Control>}{Enter}{/Control}');
    const card = page.getByRole('article', { name: /Prompt from Demo server/ });
    await expect.element(card).toBeVisible();
    await expect.element(page.getByText('Waiting on you', { exact: false }).first()).toBeVisible();
    // Nothing is sent that does not fit.
    await card.getByRole('button', { name: 'Send' }).click();
    await expect
      .element(card.getByRole('textbox', { name: /Email/ }))
      .toHaveAttribute('aria-invalid', 'true');
    expect(host.asked.some((one) => one.name === 'answer_prompt')).toBe(false);
    await card.getByRole('textbox', { name: /Email/ }).fill('ana@example.com');
    await card.getByRole('button', { name: 'Send' }).click();
    await expect.element(page.getByText('Booked. See you there.')).toBeVisible();
    expect(host.asked.find((one) => one.name === 'answer_prompt')?.args).toMatchObject({
      action: 'accept',
      content: '{"email":"ana@example.com"}',
    });
    await expect.element(card).not.toBeInTheDocument();
  });

  it('a slow call shows its clock and progress, and can be cancelled', async () => {
    await openWindow({ fresh: true });
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('tab', { name: /Tools/ }).click();
    await page.getByRole('option', { name: /import_menu/ }).click();
    await page.getByRole('button', { name: /^Call/ }).click();
    const running = page.getByRole('group', { name: 'The call is running' });
    await expect.element(running).toHaveTextContent(/importing row/);
    await running.getByRole('button', { name: 'Cancel' }).click();
    await expect.element(running).not.toBeInTheDocument();
    await expect.element(row(/^tools\/call import_menu, cancelled/)).toBeVisible();
  });

  it('a failed connection says what, where and what to try', async () => {
    await openWindow({ story: true });
    await page.getByRole('button', { name: /^old-notes/ }).click();
    await page.getByRole('tab', { name: 'Overview' }).click();
    await expect.element(page.getByRole('alert').first()).toHaveTextContent(/Method not found/);
    await page.getByRole('button', { name: 'Connect as legacy' }).click();
    await expect.element(page.getByText('2025-11-25').first()).toBeVisible();
  });

  it('the palette calls a tool and puts the focus into its form', async () => {
    await openWindow({ story: true });
    await userEvent.keyboard('{Control>}k{/Control}');
    await page.getByRole('dialog').getByRole('combobox').fill('call find');
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByRole('textbox', { name: /city/ })).toHaveFocus();
  });
});

describe('a reload of the page', () => {
  it('leaves the chosen tool, what was typed, and the running call', async () => {
    const { host, app } = await openWindow({ fresh: true });
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('tab', { name: /Tools/ }).click();
    await page.getByRole('option', { name: /find_restaurants/ }).click();
    await page.getByRole('textbox', { name: /city/ }).fill('Lucca');
    await page.getByRole('option', { name: /import_menu/ }).click();
    await page.getByRole('spinbutton', { name: /rows/ }).or(page.getByLabelText(/rows/)).first().fill('900');
    await page.getByRole('button', { name: /^Call/ }).click();
    await expect.element(page.getByRole('group', { name: 'The call is running' })).toBeVisible();
    const operation = app.chosenTools?.memory('import_menu').calls[0]?.operation;

    window.dispatchEvent(new Event('pagehide'));
    const { app: next } = await openOn(host);

    const running = page.getByRole('group', { name: 'The call is running' });
    await expect.element(running).toBeVisible();
    expect(next.chosenTools?.chosen).toBe('import_menu');
    expect(next.chosenTools?.memory('import_menu').calls[0]?.operation).toBe(operation);
    await expect.element(page.getByLabelText(/rows/).first()).toHaveValue('900');
    await running.getByRole('button', { name: 'Cancel' }).click();
    await expect.element(page.getByText('cancelled by you')).toBeVisible();
    await page.getByRole('option', { name: /find_restaurants/ }).click();
    await expect.element(page.getByRole('textbox', { name: /city/ })).toHaveValue('Lucca');
  });
});

describe('the details', () => {
  it('stay where they were left while the row runs on', async () => {
    const { host, app } = await openWindow({ story: true });
    await row(/^tools\/call book_table/).click();
    await page.getByRole('tab', { name: /Events/ }).click();
    await page.getByRole('option', { name: /Service Unavailable/ }).click();
    await expect.element(page.getByRole('group', { name: 'reply' })).toHaveTextContent('Service Unavailable');
    const operation = host.journal.operations.find((one) => one.row.detail === 'book_table');
    if (operation === undefined) throw new Error('the story has changed');
    host.journal.event(operation, 'SSE event', 'data: {}\n\n');
    host.journal.change(operation, { chips: ['news'] });
    await expect.poll(() => app.details.details?.event_count).toBe(operation.events.length);
    await expect.element(page.getByRole('group', { name: 'reply' })).toHaveTextContent('Service Unavailable');
    await expect
      .element(page.getByRole('option', { name: /Service Unavailable/ }))
      .toHaveAttribute('aria-selected', 'true');
  });

  it('draw the colours that a process wrote, and none of its codes', async () => {
    await openWindow({ story: true });
    const line = row(/^14:02:11 READY Secure MCP Filesystem Server running on stdio/);
    await line.click();
    const preview = page.getByRole('group', { name: 'stderr' });
    await expect.element(preview).toHaveTextContent('14:02:11 READY Secure MCP');
    const ready = (root: Element): HTMLElement | undefined =>
      [...root.querySelectorAll<HTMLElement>('span')].find((one) => one.textContent === 'READY');
    for (const place of [line.element(), preview.element()]) {
      const word = ready(place);
      expect(word && getComputedStyle(word).color).not.toBe(getComputedStyle(place).color);
      expect(place.textContent).not.toMatch(/␛|\[1;32m/);
    }
    expect(document.querySelector('dd')?.closest('dl')?.textContent).not.toMatch(/␛|\[1;32m/);
    // Raw is what came, code for code, with its control characters as marks.
    await page.getByRole('tab', { name: 'Raw' }).click();
    await expect.element(page.getByRole('group', { name: 'This event' })).toHaveTextContent('␛[1;32mREADY');
    expect(await violations()).toEqual([]);
  });

  it('show the exact bytes in hex', async () => {
    await openWindow({ story: true });
    await row(/^round 2 · id 5/).click();
    await page.getByRole('tab', { name: 'Raw' }).click();
    await page.getByRole('radio', { name: 'Hex' }).click();
    await expect
      .element(page.getByRole('group', { name: 'Response' }))
      .toHaveTextContent('00000000 53 65 72 76 69 63 65 20 55 6e 61 76 61 69 6c 61 |Service Unavaila|');
  });
});

describe('the timeline from the keyboard', () => {
  it('walks, folds and unfolds as a tree grid', async () => {
    await openWindow({ story: true });
    await expect.element(row(/^tools\/call book_table/)).toBeVisible();
    const grid = page.getByRole('treegrid');
    (grid.element() as HTMLElement).focus();
    await userEvent.keyboard('{Home}');
    expect(selectedName()).toMatch(/^server\/discover/);
    await userEvent.keyboard('{ArrowRight}');
    await expect.poll(() => rowNames()[1]).toMatch(/^round 1/);
    await userEvent.keyboard('{ArrowRight}');
    expect(selectedName()).toMatch(/^round 1/);
    await userEvent.keyboard('{ArrowLeft}');
    expect(selectedName()).toMatch(/^server\/discover/);
    await userEvent.keyboard('{ArrowLeft}');
    await expect.poll(() => rowNames()[1]).toMatch(/^tools\/list/);
    await userEvent.keyboard('{End}');
    expect(selectedName()).toMatch(/^tools\/call cancel_booking/);
    const active = (grid.element() as HTMLElement).getAttribute('aria-activedescendant');
    expect(document.getElementById(active ?? '')?.getAttribute('aria-selected')).toBe('true');
  });

  it('says level, place and number of its rows', async () => {
    await openWindow({ story: true });
    const child = row(/^form: “How many people/);
    await expect.element(child).toHaveAttribute('aria-level', '3');
    await expect.element(row(/^tools\/call book_table/)).toHaveAttribute('aria-expanded', 'true');
    const total = Number(page.getByRole('treegrid').element().getAttribute('aria-rowcount'));
    expect(total).toBe(rowNames().length + 1);
  });
});

describe('100 000 rows', () => {
  it('hold a handful of elements, scroll anywhere, and follow until the person scrolls up', async () => {
    const { host, app } = await openWindow({ story: true, rows: 100_000 });
    const grid = page.getByRole('treegrid').element() as HTMLElement;
    await expect.poll(() => grid.scrollTop > 2_000_000).toBe(true);
    await expect
      .poll(() => rowNames().some((name) => name.startsWith('tools/call cancel_booking')))
      .toBe(true);
    expect(document.querySelectorAll('[role=row]').length).toBeLessThan(60);
    expect(app.timeline.window.rows.length).toBeLessThanOrEqual(400);

    grid.scrollTop = 1_300_000;
    await expect.poll(() => app.timeline.follow).toBe(false);
    await expect
      .poll(() => rowNames().filter((name) => name.startsWith('tools/call')).length)
      .toBeGreaterThan(10);
    expect(grid.querySelector('[aria-busy]')).toBeNull();

    // News do not move what is read; the button says how many there are.
    const before = grid.scrollTop;
    for (let index = 0; index < 5; index += 1)
      host.journal.start('bookings', 'restaurant-bookings', 'ping', null);
    const button = page.getByRole('button', { name: '5 new rows' });
    await expect.element(button).toBeVisible();
    expect(grid.scrollTop).toBe(before);
    await button.click();
    await expect.poll(() => rowNames().some((name) => name.startsWith('ping'))).toBe(true);
    expect(app.timeline.follow).toBe(true);
  });

  it('draw a jump within a few frames', async () => {
    const { app } = await openWindow({ story: true, rows: 100_000 });
    const grid = page.getByRole('treegrid').element() as HTMLElement;
    await expect.poll(() => grid.scrollTop > 2_000_000).toBe(true);
    const longest: number[] = [];
    for (let step = 0; step < 20; step += 1) {
      const began = performance.now();
      grid.scrollTop = (step * 7919 * 26) % 2_500_000;
      await expect
        .poll(() => grid.querySelector('[aria-busy]') === null && !app.timeline.follow, {
          interval: 4,
        })
        .toBe(true);
      longest.push(performance.now() - began);
    }
    longest.sort((a, b) => a - b);
    expect(longest[10]).toBeLessThan(150);
  });
});

describe('every screen', () => {
  it.each(['light', 'dark'] as const)(
    'is clean by axe in the %s theme, also with hostile names',
    async (theme) => {
      const { app } = await openWindow({ story: true }, { theme });
      await expect.element(row(/^tools\/call book_table/)).toBeVisible();
      expect(await violations(theme)).toEqual([]);
      await page.getByRole('tab', { name: /Tools/ }).click();
      await expect.element(page.getByText('hostile⟨U+202E⟩gnp.exe')).toBeInTheDocument();
      await row(/^tools\/call book_table/).click();
      await expect.element(page.getByRole('tab', { name: 'HTTP' })).toBeVisible();
      expect(await violations(theme)).toEqual([]);
      for (const tab of ['Request', 'HTTP', /Events/, 'Raw']) {
        await page.getByRole('tab', { name: tab }).click();
        expect(await violations(theme)).toEqual([]);
      }
      app.paletteOpen = true;
      await expect.element(page.getByRole('dialog').getByRole('combobox')).toBeVisible();
      expect(await violations(theme)).toEqual([]);
      // Eight looks at the whole window.
    },
    180_000,
  );

  it('fits a window of 960 by 640', async () => {
    await page.viewport(960, 640);
    await openWindow({ story: true }, { tab: 'tools' });
    await expect.element(row(/^tools\/call book_table/)).toBeVisible();
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(960);
    await expect.element(page.getByRole('button', { name: /^Call/ })).toBeInTheDocument();
    expect(await violations()).toEqual([]);
    await page.viewport(1440, 900);
  });

  it.each([760, 960])('cuts no word and lets no labels touch at a width of %d', async (width) => {
    await page.viewport(width, 640);
    const { host } = await openWindow({ story: true, rows: 2000 }, { tab: 'tools' });
    const grid = page.getByRole('treegrid').element() as HTMLElement;
    await expect.poll(() => grid.scrollTop > 20_000).toBe(true);
    grid.scrollTop = 10_000;
    await expect
      .element(page.getByRole('button', { name: 'Follow' }))
      .toHaveAttribute('aria-pressed', 'false');
    for (let index = 0; index < 1234; index += 1)
      host.journal.start('bookings', 'restaurant-bookings', 'ping', null);
    // Rows of the beginning may still be among them.
    const news = page.getByRole('button', { name: /^\d.\d{3} new rows$/ });
    await expect.element(news).toBeVisible();
    const toolbar = document.querySelector('.toolbar');
    expect(toolbar?.scrollWidth).toBeLessThanOrEqual(toolbar?.clientWidth ?? 0);
    const edges = [...document.querySelectorAll('.tick')].map((tick) => tick.getBoundingClientRect());
    edges.forEach((edge, at) => {
      const next = edges[at + 1];
      if (next !== undefined) expect(edge.right).toBeLessThan(next.left);
    });
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
    await page.viewport(1440, 900);
  });

  it('offers the tabs that have no room in a list beside them', async () => {
    await page.viewport(760, 640);
    await openWindow({ story: true });
    await row(/^tools\/call book_table/).click();
    await page.getByRole('button', { name: 'All tabs of Details' }).click();
    await page.getByRole('menuitem', { name: 'Raw' }).click();
    const raw = page.getByRole('tab', { name: 'Raw' });
    await expect.element(raw).toHaveAttribute('aria-selected', 'true');
    const strip = raw.element().closest('[role=tablist]')?.getBoundingClientRect();
    expect(raw.element().getBoundingClientRect().right).toBeLessThanOrEqual((strip?.right ?? 0) + 1);
    expect(await violations()).toEqual([]);
    await page.viewport(1440, 900);
    await expect.element(page.getByRole('button', { name: 'All tabs of Details' })).not.toBeInTheDocument();
  });

  it('remembers the theme and whether the right pane is open', async () => {
    const { host } = await openWindow({ story: true }, { theme: 'dark', rightOpen: false });
    expect(document.documentElement.dataset['theme']).toBe('dark');
    await expect.element(page.getByRole('complementary')).not.toBeInTheDocument();
    await page.getByRole('button', { name: 'Show prompts and details' }).click();
    await expect.element(page.getByRole('complementary')).toBeVisible();
    await expect
      .poll(() => JSON.parse(host.preferences) as unknown, { timeout: 3000 })
      .toMatchObject({ rightOpen: true });
    delete document.documentElement.dataset['theme'];
  });
});
