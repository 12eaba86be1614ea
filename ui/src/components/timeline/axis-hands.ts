/** What wheel and pointer do to the waterfall's axis. Places are from 0 (its left) to 1 (its right). */
export interface AxisHands {
  /** Where the axis is on the screen. */
  axis(): DOMRect | undefined;
  zoom(at: number, factor: number): void;
  /** Parts of the visible time; positive for later. */
  pan(parts: number): void;
  /** A stretch that is being marked on the axis; `undefined` when that is over. */
  marking(stretch: { from: number; to: number } | undefined): void;
  /** Back to the visible rows. */
  fit(): void;
  /** The marked stretch is wanted. */
  choose(from: number, to: number): void;
  /** Where the pointer is above the waterfall. */
  point(at: number | undefined): void;
}

/** A drag begins after so many CSS pixels; below that it is a click. */
const DRAG = 4;
/** A notch of a wheel is about 100 px: a step of a third. */
const ZOOM_PER_PIXEL = Math.log(1.35) / 100;

/** Pixels of a wheel event; some mice count lines or pages. */
function pixels(delta: number, mode: number): number {
  return mode === 0 ? delta : mode === 1 ? delta * 33 : delta * 400;
}

/** Listens on the grid of rows; gives what ends it. */
export function axisHands(grid: HTMLElement, hands: AxisHands): () => void {
  let drag: { x: number; at: number; isOnAxis: boolean; hasMoved: boolean; last: number } | undefined;

  const placeOf = (x: number): number | undefined => {
    const axis = hands.axis();
    if (axis === undefined || axis.width === 0) return undefined;
    return (x - axis.left) / axis.width;
  };
  const isWithin = (at: number | undefined): at is number => at !== undefined && at >= 0 && at <= 1;

  const wheel = (event: WheelEvent): void => {
    const at = placeOf(event.clientX);
    const dx = pixels(event.deltaX, event.deltaMode);
    const dy = pixels(event.deltaY, event.deltaMode);
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      hands.zoom(isWithin(at) ? at : 0.5, Math.exp(dy * ZOOM_PER_PIXEL));
      return;
    }
    // With Shift some systems turn a wheel's step sideways by themselves.
    const sideways = event.shiftKey
      ? dx === 0
        ? dy
        : dx
      : isWithin(at) && Math.abs(dx) > Math.abs(dy)
        ? dx
        : 0;
    if (sideways === 0) return;
    event.preventDefault();
    hands.pan(sideways / Math.max(100, hands.axis()?.width ?? 0));
  };

  const down = (event: PointerEvent): void => {
    const at = placeOf(event.clientX);
    if (event.button !== 0 || !isWithin(at) || !(event.target instanceof Element)) return;
    if (event.target.closest('button') !== null) return;
    const isOnAxis = event.target.closest('[data-axis]') !== null;
    drag = { x: event.clientX, at, isOnAxis, hasMoved: false, last: event.clientX };
  };

  const move = (event: PointerEvent): void => {
    const at = placeOf(event.clientX);
    hands.point(isWithin(at) ? at : undefined);
    if (drag === undefined || at === undefined) return;
    if (!drag.hasMoved) {
      if (Math.abs(event.clientX - drag.x) < DRAG) return;
      drag.hasMoved = true;
      grid.setPointerCapture(event.pointerId);
    }
    if (drag.isOnAxis) {
      hands.marking({ from: drag.at, to: Math.max(0, Math.min(1, at)) });
    } else {
      hands.pan((drag.last - event.clientX) / Math.max(1, hands.axis()?.width ?? 1));
      drag.last = event.clientX;
    }
  };

  const up = (event: PointerEvent): void => {
    const ended = drag;
    drag = undefined;
    if (ended?.hasMoved !== true) return;
    // The click that follows a drag chooses no row.
    const swallow = (click: Event): void => click.stopPropagation();
    grid.addEventListener('click', swallow, { capture: true, once: true });
    setTimeout(() => grid.removeEventListener('click', swallow, { capture: true }));
    hands.marking(undefined);
    const at = placeOf(event.clientX);
    if (ended.isOnAxis && at !== undefined && event.type === 'pointerup')
      hands.choose(ended.at, Math.max(0, Math.min(1, at)));
  };

  const twice = (event: MouseEvent): void => {
    if (event.target instanceof Element && event.target.closest('[data-axis]') !== null) hands.fit();
  };

  const leave = (): void => hands.point(undefined);

  grid.addEventListener('wheel', wheel, { passive: false });
  grid.addEventListener('dblclick', twice);
  grid.addEventListener('pointerdown', down);
  grid.addEventListener('pointermove', move);
  grid.addEventListener('pointerup', up);
  grid.addEventListener('pointercancel', up);
  grid.addEventListener('pointerleave', leave);
  return () => {
    grid.removeEventListener('wheel', wheel);
    grid.removeEventListener('dblclick', twice);
    grid.removeEventListener('pointerdown', down);
    grid.removeEventListener('pointermove', move);
    grid.removeEventListener('pointerup', up);
    grid.removeEventListener('pointercancel', up);
    grid.removeEventListener('pointerleave', leave);
  };
}
