import { describe, expect, it } from 'vitest';
import { row } from '$lib/timeline/rows.fixture';
import { keyAction } from './keys';

const press = (key: string): Parameters<typeof keyAction>[0] => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
});

describe('keyAction', () => {
  it('walks, by row, page and end', () => {
    const to = (key: string, selected: number | null): unknown =>
      keyAction(press(key), row(0), selected, 100, 10);
    expect(to('ArrowDown', null)).toEqual({ kind: 'select', index: 0 });
    expect(to('ArrowUp', null)).toEqual({ kind: 'select', index: 99 });
    expect(to('ArrowDown', 4)).toEqual({ kind: 'select', index: 5 });
    expect(to('ArrowDown', 99)).toEqual({ kind: 'select', index: 99 });
    expect(to('PageDown', 4)).toEqual({ kind: 'select', index: 14 });
    expect(to('PageUp', 4)).toEqual({ kind: 'select', index: 0 });
    expect(to('Home', 50)).toEqual({ kind: 'select', index: 0 });
    expect(to('End', 50)).toEqual({ kind: 'select', index: 99 });
  });

  it('unfolds and goes in; folds and goes out', () => {
    const closed = row(3, { child_count: 2 });
    const open = row(3, { child_count: 2, expanded: true });
    const child = row(3, { depth: 1 });
    expect(keyAction(press('ArrowRight'), closed, 3, 9, 5)).toEqual({
      kind: 'fold',
      row: closed,
      expanded: true,
    });
    expect(keyAction(press('ArrowRight'), open, 3, 9, 5)).toEqual({ kind: 'select', index: 4 });
    expect(keyAction(press('ArrowLeft'), open, 3, 9, 5)).toEqual({
      kind: 'fold',
      row: open,
      expanded: false,
    });
    expect(keyAction(press('ArrowLeft'), child, 4, 9, 5)).toEqual({ kind: 'parent' });
    expect(keyAction(press('ArrowLeft'), closed, 3, 9, 5)).toBeUndefined();
    expect(keyAction(press('Enter'), closed, 3, 9, 5)).toMatchObject({ kind: 'fold', expanded: true });
    expect(keyAction(press('Enter'), child, 4, 9, 5)).toEqual({ kind: 'open' });
  });

  it('leaves other keys, and keys with a modifier, to others', () => {
    expect(keyAction(press('a'), row(0), 0, 9, 5)).toBeUndefined();
    expect(keyAction({ ...press('ArrowDown'), ctrlKey: true }, row(0), 0, 9, 5)).toBeUndefined();
    expect(keyAction(press('ArrowDown'), undefined, null, 0, 5)).toBeUndefined();
  });
});
