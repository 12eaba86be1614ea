import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { FakeOptions } from '$lib/host/fake/fake';
import type { App } from '$lib/state/app.svelte';
import { openWindow } from '$lib/testing/window';

async function open(options: FakeOptions): Promise<App> {
  const { app } = await openWindow(options);
  await expect.poll(() => app.timeline.window.rows.length).toBeGreaterThan(0);
  await expect.poll(() => app.timeline.axis.density?.events.length ?? 0).toBeGreaterThan(0);
  return app;
}

const need = (selector: string): HTMLElement => {
  const found = document.querySelector<HTMLElement>(selector);
  if (found === null) throw new Error(`no ${selector}`);
  return found;
};
const axisBox = (): DOMRect => need('[data-axis]').getBoundingClientRect();
const grid = (): HTMLElement => need('[role=treegrid]');
const map = (): ReturnType<typeof page.getByRole> => page.getByRole('slider', { name: 'Visible time' });

function pointer(on: Element, type: string, x: number, y: number): void {
  on.dispatchEvent(
    new PointerEvent(type, {
      bubbles: true,
      clientX: x,
      clientY: y,
      button: 0,
      pointerId: 1,
      isPrimary: true,
    }),
  );
}

describe('the waterfall', () => {
  it('zooms at the pointer with Ctrl and the wheel, pans with Shift, fits with 0', async () => {
    const app = await open({ story: true });
    const { axis } = app.timeline;
    expect(axis.range).toBeNull();
    const box = axisBox();
    const x = box.left + box.width / 4;
    const wheel = (init: WheelEventInit): void => {
      grid().dispatchEvent(
        new WheelEvent('wheel', {
          bubbles: true,
          cancelable: true,
          clientX: x,
          clientY: box.bottom + 40,
          ...init,
        }),
      );
    };
    wheel({ ctrlKey: true, deltaY: -100 });
    const first = axis.range;
    expect(first).not.toBeNull();
    wheel({ ctrlKey: true, deltaY: -100 });
    const second = axis.range;
    expect(second?.lengthMicros).toBeLessThan(first?.lengthMicros ?? 0);
    const moment = (range: typeof first): number =>
      (range?.startMicros ?? 0) + (range?.lengthMicros ?? 0) / 4;
    expect(Math.abs(moment(second) - moment(first))).toBeLessThan((second?.lengthMicros ?? 0) / 100);
    wheel({ shiftKey: true, deltaY: 60 });
    expect(axis.range?.startMicros).toBeGreaterThan(second?.startMicros ?? Infinity);
    expect(axis.range?.lengthMicros).toBe(second?.lengthMicros);
    grid().focus();
    await userEvent.keyboard('0');
    expect(axis.range).toBeNull();
    await userEvent.keyboard('+');
    await expect.poll(() => axis.range).not.toBeNull();
    // A range that holds the present goes along with the time until one steps back.
    await userEvent.keyboard('{Shift>}{ArrowLeft}{/Shift}');
    const before = axis.range?.startMicros ?? 0;
    await userEvent.keyboard('{Shift>}{ArrowLeft}{/Shift}');
    expect(axis.range?.startMicros).toBeLessThan(before);
    await page.getByRole('button', { name: 'Fit the visible rows' }).click();
    expect(axis.range).toBeNull();
  });

  it('zooms into a stretch that is marked on the axis, and pans by dragging rows without selecting one', async () => {
    const app = await open({ story: true });
    const { axis } = app.timeline;
    const box = axisBox();
    const header = need('[data-axis]');
    const y = box.top + 10;
    pointer(header, 'pointerdown', box.left + box.width * 0.25, y);
    pointer(header, 'pointermove', box.left + box.width * 0.5, y);
    await expect.poll(() => document.querySelector('.marked')).not.toBeNull();
    pointer(header, 'pointermove', box.left + box.width * 0.75, y);
    pointer(header, 'pointerup', box.left + box.width * 0.75, y);
    await expect.poll(() => axis.range).not.toBeNull();
    const chosen = axis.range;
    await expect.poll(() => document.querySelector('.marked')).toBeNull();

    const bar = need('[role=row][data-index] .waterfall');
    const row = bar.getBoundingClientRect();
    pointer(bar, 'pointerdown', box.left + 100, row.top + 5);
    pointer(bar, 'pointermove', box.left + 60, row.top + 5);
    pointer(bar, 'pointerup', box.left + 60, row.top + 5);
    bar.click();
    expect(axis.range?.startMicros).toBeGreaterThan(chosen?.startMicros ?? Infinity);
    expect(app.timeline.selection.index).toBeNull();
  });

  it('tells the time under the pointer', async () => {
    await open({ story: true });
    const box = axisBox();
    pointer(grid(), 'pointermove', box.left + box.width / 2, box.bottom + 30);
    await expect
      .poll(() => document.querySelector('.layer .label')?.textContent ?? '')
      .toMatch(/^\d\d:\d\d:\d\d\.\d{3} · /);
    pointer(grid(), 'pointerleave', 0, 0);
    await expect.poll(() => document.querySelector('.layer')).toBeNull();
  });

  it('a row beyond the visible time is marked and brought in', async () => {
    const app = await open({ story: true });
    const { axis } = app.timeline;
    grid().focus();
    for (let step = 0; step < 8; step += 1) await userEvent.keyboard('+');
    const marks = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-bring]')];
    await expect.poll(() => marks().length).toBeGreaterThan(0);
    const mark = marks()[0];
    const index = Number(mark?.closest<HTMLElement>('[data-index]')?.dataset['index']);
    const before = axis.range?.startMicros;
    mark?.click();
    await expect.poll(() => axis.range?.startMicros).not.toBe(before);
    await expect.poll(() => document.querySelector(`[data-index="${index}"] [data-bring]`)).toBeNull();
  });
});

describe('the map of the session', () => {
  it('shows errors and the visible part; a click elsewhere moves time and rows there', async () => {
    const app = await open({ rows: 20_000 });
    const strip = need('[aria-label="Visible time"]');
    await expect.poll(() => strip.querySelectorAll('.error').length).toBeGreaterThan(0);
    expect(app.timeline.follow).toBe(true);
    const box = strip.getBoundingClientRect();
    const x = box.left + box.width * 0.3;
    pointer(strip, 'pointerdown', x, box.top + 5);
    pointer(strip, 'pointerup', x, box.top + 5);
    await expect.poll(() => app.timeline.follow).toBe(false);
    const { density, range } = app.timeline.axis;
    const span = (density?.last_micros ?? 0) - (density?.start_micros ?? 0);
    const middle = (range?.startMicros ?? 0) + (range?.lengthMicros ?? 0) / 2;
    expect(Math.abs((middle - (density?.start_micros ?? 0)) / span - 0.3)).toBeLessThan(0.02);
    // The first row that is seen began there.
    await expect
      .poll(() => {
        const first = grid().scrollTop / 26;
        const row = app.timeline.window.rows[Math.ceil(first) - app.timeline.window.start];
        return row === undefined ? Infinity : Math.abs(row.start_micros - (range?.startMicros ?? 0)) / span;
      })
      .toBeLessThan(0.01);
  });

  it('is worked from the keyboard and says what is visible', async () => {
    const app = await open({ rows: 5000 });
    await expect
      .element(map())
      .toHaveAttribute('aria-valuetext', expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} to /));
    need('[aria-label="Visible time"]').focus();
    await userEvent.keyboard('{ArrowLeft}');
    await expect.poll(() => app.timeline.axis.range).not.toBeNull();
    const { startMicros } = app.timeline.axis.range ?? { startMicros: 0 };
    await userEvent.keyboard('{ArrowLeft}');
    expect(app.timeline.axis.range?.startMicros).toBeLessThan(startMicros);
    await userEvent.keyboard('0');
    expect(app.timeline.axis.range).toBeNull();
  });

  it('stays cheap on 100 000 rows', async () => {
    const app = await open({ rows: 100_000 });
    grid().focus();
    const began = performance.now();
    for (let step = 0; step < 20; step += 1) {
      const box = axisBox();
      grid().dispatchEvent(
        new WheelEvent('wheel', {
          bubbles: true,
          cancelable: true,
          ctrlKey: true,
          deltaY: step % 2 === 0 ? -100 : 80,
          clientX: box.left + 50,
          clientY: box.bottom + 20,
        }),
      );
      await new Promise(requestAnimationFrame);
    }
    expect((performance.now() - began) / 20).toBeLessThan(50);
    expect(document.querySelectorAll('[role=row][data-index]').length).toBeLessThan(80);
    expect(app.timeline.axis.density?.events.length).toBeLessThanOrEqual(512);
  });
});
