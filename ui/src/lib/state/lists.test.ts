import { describe, expect, it } from 'vitest';
import type { FreshnessView } from '$lib/bindings/FreshnessView';
import { entryKey, isStale } from './lists.svelte';

const freshness = (more: Partial<FreshnessView> = {}): FreshnessView => ({
  fetched_micros: 1_000,
  fresh_until_micros: 2_000,
  scope: 'public',
  from_cache: false,
  invalidated: false,
  ...more,
});

describe('an answer', () => {
  it('is fresh until its time is over', () => {
    expect(isStale(freshness(), 1_999)).toBe(false);
    expect(isStale(freshness(), 2_000)).toBe(true);
  });

  it('without a time, or with none to live, is not asked for again by itself', () => {
    expect(isStale(freshness({ fresh_until_micros: null }), 9_000)).toBe(false);
    expect(isStale(freshness({ fresh_until_micros: 1_000 }), 9_000)).toBe(false);
  });

  it('that the server has withdrawn is stale at once', () => {
    expect(isStale(freshness({ invalidated: true }), 1_001)).toBe(true);
  });
});

describe('keys', () => {
  it('keep equal names apart and survive what stands between them', () => {
    expect(entryKey('get', 0)).toBe('get');
    expect(entryKey('get', 1)).not.toBe(entryKey('get', 0));
    expect(entryKey('get', 1)).not.toBe(entryKey('get1', 0));
  });
});
