/** What a key in the filter line does. */
export type FindAction =
  | { readonly kind: 'move'; readonly to: number }
  | { readonly kind: 'pick'; readonly at: number }
  | { readonly kind: 'suggest' | 'close' | 'clear' }
  | { readonly kind: 'step'; readonly backwards: boolean };

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'isComposing'>;

/** The action of a key, while suggestions are open or not; nothing where the field itself knows better. */
export function findKey(key: Key, isOpen: boolean, active: number, count: number): FindAction | undefined {
  if (key.altKey || key.isComposing) return undefined;
  const isCommand = key.ctrlKey || key.metaKey;
  switch (key.key) {
    case ' ':
      return isCommand ? { kind: 'suggest' } : undefined;
    case 'ArrowDown':
      if (!isOpen) return { kind: 'suggest' };
      return { kind: 'move', to: active + 1 >= count ? 0 : active + 1 };
    case 'ArrowUp':
      if (!isOpen) return undefined;
      return { kind: 'move', to: active <= 0 ? count - 1 : active - 1 };
    case 'Tab':
      // With nothing chosen it goes on to the next control, as everywhere.
      return isOpen && active >= 0 && !key.shiftKey ? { kind: 'pick', at: active } : undefined;
    case 'Enter':
      if (isCommand) return undefined;
      if (isOpen && active >= 0 && !key.shiftKey) return { kind: 'pick', at: active };
      return { kind: 'step', backwards: key.shiftKey };
    case 'Escape':
      return isOpen ? { kind: 'close' } : { kind: 'clear' };
    default:
      return undefined;
  }
}
