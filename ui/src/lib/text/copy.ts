/**
 * Puts a text on the clipboard. Where the page may not use the clipboard's interface (a custom scheme is not always
 * a secure context), the old command does it.
 *
 * @throws when neither way is open
 */
export async function copyText(text: string): Promise<void> {
  const clipboard = (navigator as { clipboard?: Clipboard }).clipboard;
  if (clipboard !== undefined) {
    try {
      await clipboard.writeText(text);
      return;
    } catch {
      // Not allowed; the other way may be.
    }
  }
  const before = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.setAttribute('aria-hidden', 'true');
  area.style.position = 'fixed';
  area.style.opacity = '0';
  document.body.append(area);
  area.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const copied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!copied) throw new Error('the clipboard is closed to this page');
}
