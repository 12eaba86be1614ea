import { describe, expect, it } from 'vitest';
import { ariaKeys, isPressed, keyNames } from './shortcuts';

function press(key: string, ...held: ('ctrl' | 'meta' | 'alt' | 'shift')[]): Parameters<typeof isPressed>[0] {
  return {
    key,
    ctrlKey: held.includes('ctrl'),
    metaKey: held.includes('meta'),
    altKey: held.includes('alt'),
    shiftKey: held.includes('shift'),
  };
}

describe('keys', () => {
  it('are pressed when all of them are and no others', () => {
    expect(isPressed(press('k', 'ctrl'), 'Mod+K')).toBe(true);
    expect(isPressed(press('k', 'meta'), 'Mod+K')).toBe(true);
    expect(isPressed(press('K', 'ctrl', 'shift'), 'Mod+K')).toBe(false);
    expect(isPressed(press('k', 'ctrl', 'alt'), 'Mod+K')).toBe(false);
    expect(isPressed(press('k'), 'Mod+K')).toBe(false);
    expect(isPressed(press('F6', 'shift'), 'Shift+F6')).toBe(true);
    expect(isPressed(press('F6'), 'Shift+F6')).toBe(false);
  });

  it('that are signs are found wherever a keyboard has them', () => {
    expect(isPressed(press('?', 'shift'), '?')).toBe(true);
    expect(isPressed(press('?'), '?')).toBe(true);
    expect(isPressed(press('+', 'ctrl', 'shift'), 'Mod++')).toBe(true);
    expect(isPressed(press('=', 'ctrl'), 'Mod+=')).toBe(true);
    expect(isPressed(press('-', 'ctrl'), 'Mod+-')).toBe(true);
  });

  it('are named as the machine names them', () => {
    expect(keyNames('Mod+Shift+Enter', false)).toBe('Ctrl Shift ⏎');
    expect(keyNames('Mod+Shift+Enter', true)).toBe('⌘ ⇧ ⏎');
    expect(keyNames('Mod++', false)).toBe('Ctrl +');
    expect(ariaKeys('Mod+K', false)).toBe('Control+K');
    expect(ariaKeys('Mod+K', true)).toBe('Meta+K');
  });
});
