/** How large everything may be drawn, as browsers have it. */
export const ZOOM_STEPS: readonly number[] = [0.5, 0.67, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3];

/** The step that is nearest; 1 for what is no number. */
export function nearestZoom(factor: number): number {
  if (!Number.isFinite(factor)) return 1;
  return ZOOM_STEPS.reduce((best, step) => (Math.abs(step - factor) < Math.abs(best - factor) ? step : best));
}

/** The next larger step, or smaller; the same at the end. */
export function zoomed(factor: number, by: 1 | -1): number {
  const at = ZOOM_STEPS.indexOf(nearestZoom(factor));
  return ZOOM_STEPS[Math.max(0, Math.min(ZOOM_STEPS.length - 1, at + by))] ?? 1;
}
