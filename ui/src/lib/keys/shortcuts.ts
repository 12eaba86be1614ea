/**
 * Combinations of keys as they are written in the code: `Mod+K`, `Shift+F6`, `?`. `Mod` is ⌘ on a Mac and Ctrl
 * elsewhere.
 */

interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** Whether this is a Mac, whose keys are named differently. */
export const isMac = typeof navigator !== 'undefined' && navigator.userAgent.includes('Mac');

/** Whether these keys are pressed. */
export function isPressed(event: Pressed, keys: string): boolean {
  // `Mod++` is the key `+` itself.
  const parts = keys.replace(/\+\+$/, '+Plus').split('+');
  const key = parts.at(-1)?.replace('Plus', '+') ?? '';
  const mod = parts.includes('Mod');
  if (event.altKey !== parts.includes('Alt')) return false;
  if ((event.ctrlKey || event.metaKey) !== mod) return false;
  // A sign is where its keyboard has it: some need Shift for it, others do not.
  const isSign = key.length === 1 && !/[a-z]/i.test(key);
  if (!isSign && event.shiftKey !== parts.includes('Shift')) return false;
  return event.key.toLowerCase() === key.toLowerCase();
}

/** The keys as a person reads them on this machine: `Ctrl K` or `⌘ K`. */
export function keyNames(keys: string, mac = isMac): string {
  const names: Record<string, string> = mac
    ? { Mod: '⌘', Shift: '⇧', Alt: '⌥', Enter: '⏎', Escape: 'Esc' }
    : { Mod: 'Ctrl', Enter: '⏎', Escape: 'Esc' };
  return keys
    .replace(/\+\+$/, '+Plus')
    .split('+')
    .map((part) => names[part] ?? (part === 'Plus' ? '+' : part))
    .join(' ');
}

/** The keys as `aria-keyshortcuts` has them. */
export function ariaKeys(keys: string, mac = isMac): string {
  return keys.replace('Mod', mac ? 'Meta' : 'Control').replace(/\+\+$/, '+Plus');
}

/** Whether a key goes into a text that is being written. */
export function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  if (target instanceof HTMLSelectElement) return true;
  const silent = ['checkbox', 'radio', 'button', 'submit', 'reset', 'range', 'color', 'file'];
  return target instanceof HTMLInputElement && !silent.includes(target.type);
}
