import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FeedBatch } from '$lib/bindings/FeedBatch';
import type { Host } from '$lib/host/host';
import { Feed, type FeedSink } from './feed';

const batch = (number: number): FeedBatch => ({
  number,
  now_micros: 1,
  servers: null,
  prompts: null,
  tasks: null,
  timeline: null,
  status: null,
  touched: [],
});

/** A core whose channel the test plays by hand. */
function setUp(working = false) {
  const channels: ((batch: FeedBatch) => void)[] = [];
  const acked: number[] = [];
  const applied: number[] = [];
  const problems: unknown[] = [];
  let refuse = false;
  const host = {
    rpc: (name: string, args: { number: number }) => {
      if (name === 'ack') acked.push(args.number);
      return Promise.resolve(null);
    },
    attach: (onBatch: (batch: FeedBatch) => void) => {
      if (refuse) return Promise.reject(new Error('no core'));
      channels.push(onBatch);
      return Promise.resolve(() => undefined);
    },
  } as unknown as Host;
  const state = { working, attached: 0 };
  const sink: FeedSink = {
    apply: (one) => applied.push(one.number),
    attached: () => (state.attached += 1),
    working: () => state.working,
    problem: (error) => problems.push(error),
  };
  const feed = new Feed(host, sink);
  return {
    feed,
    channels,
    acked,
    applied,
    problems,
    state,
    refuse: (now: boolean) => (refuse = now),
    settle: () => vi.advanceTimersByTimeAsync(0),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('Feed', () => {
  it('applies batches in order and acknowledges each', async () => {
    const { feed, channels, acked, applied, settle } = setUp();
    feed.start();
    await settle();
    channels[0]?.(batch(1));
    channels[0]?.(batch(2));
    expect(applied).toEqual([1, 2]);
    expect(acked).toEqual([1, 2]);
  });

  it('ignores a batch that came twice', async () => {
    const { feed, channels, applied, settle } = setUp();
    feed.start();
    await settle();
    channels[0]?.(batch(1));
    channels[0]?.(batch(1));
    expect(applied).toEqual([1]);
  });

  it('attaches anew on a gap, and hears the old channel no more', async () => {
    const { feed, channels, applied, state, settle } = setUp();
    feed.start();
    await settle();
    channels[0]?.(batch(1));
    channels[0]?.(batch(3));
    await settle();
    expect(channels).toHaveLength(2);
    expect(state.attached).toBe(2);
    channels[0]?.(batch(2));
    channels[1]?.(batch(1));
    expect(applied).toEqual([1, 1]);
  });

  it('attaches anew after silence while work runs, ever less often', async () => {
    const { feed, channels, settle } = setUp(true);
    feed.start();
    await settle();
    channels[0]?.(batch(1));
    await vi.advanceTimersByTimeAsync(2900);
    expect(channels).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(channels).toHaveLength(2);
    channels[1]?.(batch(1));
    await vi.advanceTimersByTimeAsync(5900);
    expect(channels).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(200);
    expect(channels).toHaveLength(3);
    // News make it watchful again.
    channels[2]?.(batch(1));
    channels[2]?.(batch(2));
    await vi.advanceTimersByTimeAsync(3100);
    expect(channels).toHaveLength(4);
  });

  it('does not mind silence when nothing runs', async () => {
    const { feed, channels, settle } = setUp(false);
    feed.start();
    await settle();
    channels[0]?.(batch(1));
    await vi.advanceTimersByTimeAsync(600_000);
    expect(channels).toHaveLength(1);
  });

  it('says that the core does not answer, and tries again', async () => {
    const { feed, channels, problems, refuse, settle } = setUp();
    refuse(true);
    feed.start();
    await settle();
    expect(problems).toHaveLength(1);
    refuse(false);
    await vi.advanceTimersByTimeAsync(1100);
    expect(channels).toHaveLength(1);
    expect(problems.at(-1)).toBeNull();
  });

  it('is silent once stopped', async () => {
    const { feed, channels, applied, settle } = setUp(true);
    feed.start();
    await settle();
    feed.stop();
    channels[0]?.(batch(1));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(applied).toEqual([]);
    expect(channels).toHaveLength(1);
  });
});
