/** The window's panes, which F6 goes through: whatever carries `data-place`, in the order of the page. */

const INSIDE = [
  '[aria-current=true]',
  '[role=row][tabindex="0"]',
  '[role=tab][aria-selected=true]',
  'input:not([disabled])',
  'button:not([disabled]):not([tabindex="-1"])',
  '[tabindex="0"]',
];

/** Puts the focus into the next pane, or the one before. */
export function focusPane(by: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-place]')].filter(
    (pane) => pane.getClientRects().length > 0,
  );
  if (panes.length === 0) return;
  const from = panes.findIndex((pane) => pane.contains(document.activeElement));
  const first = from < 0 ? (by === 1 ? 0 : panes.length - 1) : (from + by + panes.length) % panes.length;
  // A pane with nothing to go to is passed over.
  for (let step = 0; step < panes.length; step += 1) {
    const pane = panes[(first + step * by + panes.length * panes.length) % panes.length];
    const target = pane === undefined ? undefined : inside(pane);
    if (target === undefined) continue;
    target.focus();
    return;
  }
}

function inside(pane: HTMLElement): HTMLElement | undefined {
  for (const selector of INSIDE) {
    const found = pane.querySelector<HTMLElement>(selector);
    if (found !== null) return found;
  }
  return undefined;
}
