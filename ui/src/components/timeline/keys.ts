import type { Row } from '$lib/bindings/Row';

/** What a key asks of the timeline. */
export type KeyAction =
  | { readonly kind: 'select'; readonly index: number }
  | { readonly kind: 'parent' }
  | { readonly kind: 'fold'; readonly row: Row; readonly expanded: boolean }
  | { readonly kind: 'open' };

interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/**
 * The keys of a tree grid (WAI-ARIA): up and down, pages and ends select; right unfolds and goes in, left folds and
 * goes out; Enter unfolds or folds, or opens the details where there is nothing to unfold.
 */
export function keyAction(
  event: Key,
  row: Row | undefined,
  selected: number | null,
  total: number,
  page: number,
): KeyAction | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || total === 0) return undefined;
  const select = (index: number): KeyAction => ({
    kind: 'select',
    index: Math.max(0, Math.min(total - 1, index)),
  });
  switch (event.key) {
    case 'ArrowDown':
      return select(selected === null ? 0 : selected + 1);
    case 'ArrowUp':
      return select(selected === null ? total - 1 : selected - 1);
    case 'PageDown':
      return select((selected ?? 0) + page);
    case 'PageUp':
      return select((selected ?? total - 1) - page);
    case 'Home':
      return select(0);
    case 'End':
      return select(total - 1);
    case 'ArrowRight':
      if (row === undefined || row.child_count === 0 || selected === null) return undefined;
      return row.expanded ? select(selected + 1) : { kind: 'fold', row, expanded: true };
    case 'ArrowLeft':
      if (row === undefined) return undefined;
      if (row.expanded && row.child_count > 0) return { kind: 'fold', row, expanded: false };
      return row.depth > 0 ? { kind: 'parent' } : undefined;
    case 'Enter':
      if (row === undefined) return undefined;
      return row.child_count > 0 ? { kind: 'fold', row, expanded: !row.expanded } : { kind: 'open' };
    case ' ':
      return row === undefined ? undefined : { kind: 'open' };
    default:
      return undefined;
  }
}

/** What a key asks of the waterfall's axis. */
export type AxisAction =
  | { readonly kind: 'zoom'; readonly factor: number }
  | { readonly kind: 'pan'; readonly parts: number }
  | { readonly kind: 'fit' };

/** `+` and `-` zoom, Shift with an arrow pans, `0` fits the visible rows again. */
export function axisAction(event: Key & { readonly shiftKey: boolean }): AxisAction | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  switch (event.key) {
    case '+':
    case '=':
      return { kind: 'zoom', factor: 1 / 1.5 };
    case '-':
    case '_':
      return { kind: 'zoom', factor: 1.5 };
    case '0':
      return { kind: 'fit' };
    case 'ArrowLeft':
      return event.shiftKey ? { kind: 'pan', parts: -0.2 } : undefined;
    case 'ArrowRight':
      return event.shiftKey ? { kind: 'pan', parts: 0.2 } : undefined;
    default:
      return undefined;
  }
}

/** What a key asks of the selection of several rows. */
export type PickAction =
  | { readonly kind: 'reach'; readonly index: number }
  | { readonly kind: 'walk'; readonly index: number }
  | { readonly kind: 'toggle' }
  | { readonly kind: 'all' }
  | { readonly kind: 'clear' }
  | { readonly kind: 'menu' };

/**
 * The keys of a list of which several rows can be selected (WAI-ARIA): Shift with a key that walks reaches further,
 * Ctrl with it walks on without selecting, Ctrl+Space picks the row or leaves it out, Ctrl+A picks all, Escape none but
 * the row itself. Shift+F10 or the menu key asks what can be done.
 */
export function pickAction(
  event: Key & { readonly shiftKey: boolean },
  selected: number | null,
  total: number,
  page: number,
  picked: number,
): PickAction | undefined {
  if (event.altKey || total === 0) return undefined;
  const mod = event.ctrlKey || event.metaKey;
  if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey && !mod)) {
    return selected === null ? undefined : { kind: 'menu' };
  }
  if (event.key === 'Escape') return picked > 0 && !mod ? { kind: 'clear' } : undefined;
  if (mod && !event.shiftKey) {
    if (event.key === ' ') return selected === null ? undefined : { kind: 'toggle' };
    if (event.key.toLowerCase() === 'a') return { kind: 'all' };
  }
  if (mod === event.shiftKey) return undefined;
  const plain = { key: event.key, ctrlKey: false, metaKey: false, altKey: false };
  const action = keyAction(plain, undefined, selected, total, page);
  if (action?.kind !== 'select') return undefined;
  return { kind: event.shiftKey ? 'reach' : 'walk', index: action.index };
}
