/** What a person answers with; never a button, so that no key pressed on the way accepts anything. */
const FIELDS = '[data-ask] :is(input:not([tabindex="-1"], [type="search"]), textarea, select):not(:disabled)';
/** What a card waits for, as for a draft, is there by then. */
const FRAMES = 60;

/**
 * Moves the focus to a prompt: to the first field of it, or to the card as a whole where it has none. Whoever has gone on
 * elsewhere meanwhile is left there.
 */
export function focusFirst(card: HTMLElement): void {
  card.focus();
  let left = FRAMES;
  const look = (): void => {
    if (!card.isConnected || document.activeElement !== card) return;
    const field = card.querySelector<HTMLInputElement>(FIELDS);
    left -= 1;
    if (field === null) {
      if (left > 0) requestAnimationFrame(look);
      return;
    }
    const group = field.type === 'radio' ? field.closest('[role="radiogroup"]') : null;
    (group?.querySelector<HTMLElement>('input:checked') ?? field).focus();
  };
  look();
}
