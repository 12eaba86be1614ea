import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TimelineLook } from '$lib/bindings/TimelineLook';
import type { TimelinePatch } from '$lib/bindings/TimelinePatch';
import type { Host } from '$lib/host/host';
import { patch, row } from '$lib/timeline/rows.fixture';
import { Timeline } from './timeline.svelte';

const rows = (start: number, len: number): ReturnType<typeof row>[] =>
  Array.from({ length: len }, (_, at) => row(start + at));

/** A core with `total` rows; its answers to `look` come when the test says so. */
function setUp(total: number) {
  const looks: { look: TimelineLook; answer: (patch?: TimelinePatch) => Promise<void> }[] = [];
  const core = { total };
  const host = {
    rpc: (name: string, args: { look: TimelineLook }) => {
      if (name === 'locate') return Promise.resolve({ index: 7 });
      if (name !== 'look') return Promise.resolve(null);
      return new Promise<TimelinePatch>((resolve) => {
        const { look } = args;
        looks.push({
          look,
          answer: async (given) => {
            const start = look.follow ? Math.max(0, core.total - look.len) : look.start;
            const len = Math.min(look.len, core.total - start);
            resolve(given ?? patch(start, rows(start, len), { total_rows: core.total }));
            await vi.advanceTimersByTimeAsync(0);
          },
        });
      });
    },
  } as unknown as Host;
  const timeline = new Timeline(host);
  const frame = () => vi.advanceTimersByTimeAsync(17);
  const last = (): NonNullable<(typeof looks)[number]> => {
    const found = looks.at(-1);
    if (found === undefined) throw new Error('nothing was looked at');
    return found;
  };
  return { timeline, looks, core, frame, last };
}

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'requestAnimationFrame', 'cancelAnimationFrame'],
  });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('Timeline', () => {
  it('follows the end from the start', async () => {
    const { timeline, frame, last } = setUp(1000);
    timeline.see({ start: 0, len: 20 });
    await frame();
    expect(last().look).toMatchObject({ follow: true, filter: 'all', server: null });
    await last().answer();
    expect(timeline.totalRows).toBe(1000);
    expect(timeline.window.start + timeline.window.rows.length).toBe(1000);
  });

  it('sends one look a frame, one in flight, and the last one wins', async () => {
    const { timeline, looks, frame, last } = setUp(1000);
    timeline.follow = false;
    timeline.see({ start: 0, len: 20 });
    await frame();
    expect(looks).toHaveLength(1);
    timeline.totalRows = 1000;
    for (const start of [200, 400, 600]) {
      timeline.see({ start, len: 20 });
      await frame();
    }
    expect(looks).toHaveLength(1);
    await last().answer();
    await frame();
    expect(looks).toHaveLength(2);
    expect(last().look.start).toBe(540);
  });

  it('does not ask again for rows that it has', async () => {
    const { timeline, looks, frame, last } = setUp(1000);
    timeline.follow = false;
    timeline.see({ start: 0, len: 20 });
    await frame();
    await last().answer();
    timeline.see({ start: 10, len: 20 });
    await frame();
    expect(looks).toHaveLength(1);
  });

  it('counts the rows that came since following ended', async () => {
    const { timeline, frame, last } = setUp(1000);
    timeline.see({ start: 980, len: 20 });
    await frame();
    await last().answer();
    expect(timeline.newRows).toBe(0);
    timeline.setFollow(false);
    await frame();
    await last().answer();
    timeline.receive(
      patch(timeline.window.start, [], { total_rows: 1012, len: timeline.window.rows.length, whole: false }),
    );
    expect(timeline.newRows).toBe(12);
    timeline.setFollow(true);
    expect(timeline.newRows).toBe(0);
  });

  it('leaves out a patch that was overtaken by a later one', async () => {
    const { timeline, frame, last } = setUp(1000);
    timeline.follow = false;
    timeline.totalRows = 1000;
    timeline.see({ start: 500, len: 20 });
    await frame();
    await last().answer();
    const before = timeline.window;
    timeline.receive(patch(0, rows(0, 50), { total_rows: 990, revision: 0 }));
    expect(timeline.window).toBe(before);
    expect(timeline.totalRows).toBe(1000);
  });

  it('leaves out an answer that was overtaken by the feed', async () => {
    const { timeline, frame, last } = setUp(10);
    timeline.see({ start: 0, len: 20 });
    await frame();
    const late = patch(0, rows(0, 10));
    timeline.receive(patch(0, rows(0, 11)));
    await last().answer(late);
    expect(timeline.totalRows).toBe(11);
  });

  it('keeps the selection at its row when rows move, and finds the key when the row arrives', async () => {
    const { timeline, frame, last } = setUp(10);
    timeline.see({ start: 0, len: 20 });
    await frame();
    await last().answer();
    timeline.selectAt(4);
    expect(timeline.selection).toEqual({ key: 'o4', index: 4 });
    timeline.receive(patch(0, [row(0), row(99, { key: 'o0/0', depth: 1 }), ...rows(1, 9)]));
    expect(timeline.selection).toEqual({ key: 'o4', index: 5 });
    timeline.selectOperation(500);
    expect(timeline.selection).toEqual({ key: 'o500', index: null });
    timeline.receive(patch(0, [...rows(0, 9), row(500)]));
    expect(timeline.selection).toEqual({ key: 'o500', index: 9 });
  });

  it('begins anew with another filter', async () => {
    const { timeline, frame, last } = setUp(1000);
    timeline.see({ start: 0, len: 20 });
    await frame();
    await last().answer();
    timeline.setFilter('errors');
    timeline.setServer('demo-stdio');
    await frame();
    expect(last().look).toMatchObject({ filter: 'errors', server: 'demo-stdio' });
  });

  it('tells the core its window again after a new attachment', async () => {
    const { timeline, looks, frame, last } = setUp(10);
    timeline.see({ start: 0, len: 20 });
    await frame();
    await last().answer();
    timeline.attached();
    await frame();
    expect(looks).toHaveLength(2);
  });
});
