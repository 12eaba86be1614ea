import { describe, expect, it } from 'vitest';
import { findKey } from './keys';

const key = (name: string, more: Partial<KeyboardEvent> = {}): Parameters<typeof findKey>[0] => ({
  key: name,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  isComposing: false,
  ...more,
});

describe('the keys of the filter line', () => {
  it('walk round the suggestions', () => {
    expect(findKey(key('ArrowDown'), true, -1, 3)).toEqual({ kind: 'move', to: 0 });
    expect(findKey(key('ArrowDown'), true, 2, 3)).toEqual({ kind: 'move', to: 0 });
    expect(findKey(key('ArrowUp'), true, -1, 3)).toEqual({ kind: 'move', to: 2 });
    expect(findKey(key('ArrowUp'), true, 1, 3)).toEqual({ kind: 'move', to: 0 });
    expect(findKey(key('ArrowDown'), false, -1, 0)).toEqual({ kind: 'suggest' });
    expect(findKey(key(' ', { ctrlKey: true }), false, -1, 0)).toEqual({ kind: 'suggest' });
  });

  it('take a suggestion that was chosen, and otherwise step through the rows', () => {
    expect(findKey(key('Enter'), true, 1, 3)).toEqual({ kind: 'pick', at: 1 });
    expect(findKey(key('Tab'), true, 1, 3)).toEqual({ kind: 'pick', at: 1 });
    expect(findKey(key('Tab'), true, -1, 3)).toBeUndefined();
    expect(findKey(key('Enter'), true, -1, 3)).toEqual({ kind: 'step', backwards: false });
    expect(findKey(key('Enter', { shiftKey: true }), false, -1, 0)).toEqual({
      kind: 'step',
      backwards: true,
    });
  });

  it('close first and clear then', () => {
    expect(findKey(key('Escape'), true, 0, 3)).toEqual({ kind: 'close' });
    expect(findKey(key('Escape'), false, -1, 0)).toEqual({ kind: 'clear' });
  });

  it('leave typing to the field', () => {
    expect(findKey(key('a'), true, 0, 3)).toBeUndefined();
    expect(findKey(key('Enter', { isComposing: true }), true, 0, 3)).toBeUndefined();
    expect(findKey(key(' '), true, 0, 3)).toBeUndefined();
  });
});
