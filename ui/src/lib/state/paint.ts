/** Runs what can wait until the person has seen what is drawn now. */
export function afterPaint(run: () => void): void {
  // A page that nobody sees is not painted.
  if (document.hidden) setTimeout(run);
  else requestAnimationFrame(() => setTimeout(run));
}
