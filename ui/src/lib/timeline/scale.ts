import type { Row } from '$lib/bindings/Row';
import type { Span } from '$lib/bindings/Span';

/** A stretch of time that the waterfall shows, with its round ticks. All in microseconds. */
export interface Scale {
  /** Since the Unix epoch. */
  readonly startMicros: number;
  readonly lengthMicros: number;
  readonly ticks: readonly Tick[];
}

export interface Tick {
  /** From 0 (left) to 1 (right). */
  readonly at: number;
  readonly label: string;
}

/** Where a bar lies, in parts of the width. */
export interface Bar {
  readonly left: number;
  readonly width: number;
}

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEPS: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].flatMap((step) => [step, step * 1000]),
  ...[1, 2, 5, 10, 15, 30].map((step) => step * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((step) => step * MINUTE),
  ...[1, 2, 4, 6, 12, 24].map((step) => step * HOUR),
].sort((a, b) => a - b);

/** Steps on an axis that is wide enough. */
const MOST_STEPS = 5;

/** The smallest round step that divides `length` into at most `most` parts. */
export function roundStep(length: number, most = MOST_STEPS): number {
  for (const step of STEPS) {
    if (length / step <= most) return step;
  }
  const day = 24 * HOUR;
  return Math.ceil(length / most / day) * day;
}

/** A tick's label in the unit of the step: `0 s`, `2 s`; `0 ms`, `50 ms`. */
export function tickLabel(micros: number, step: number): string {
  if (step < 1000) return `${micros} µs`;
  if (step < SECOND) return `${micros / 1000} ms`;
  if (step < MINUTE) return `${micros / SECOND} s`;
  if (step < HOUR) return `${micros / MINUTE} min`;
  return `${micros / HOUR} h`;
}

/**
 * The scale for some rows. It ends on a round step after the last bar, so that a growing bar grows on a steady axis
 * and the axis changes in steps. `undefined` when the rows have no time at all.
 */
export function scaleOf(
  rows: Iterable<Row | undefined>,
  nowMicros: number,
  mostSteps = MOST_STEPS,
): Scale | undefined {
  let start = Infinity;
  let end = -Infinity;
  for (const row of rows) {
    if (row === undefined) continue;
    start = Math.min(start, row.start_micros);
    end = Math.max(end, row.end_micros ?? Math.max(nowMicros, row.start_micros));
    for (const span of row.spans) {
      start = Math.min(start, span.start_micros);
      end = Math.max(end, span.end_micros ?? nowMicros);
    }
  }
  if (start === Infinity) return undefined;
  const length = Math.max(end - start, 100);
  const step = roundStep(length, mostSteps);
  const steps = Math.max(1, Math.ceil(length / step));
  const lengthMicros = step * steps;
  const ticks: Tick[] = [];
  for (let index = 0; index <= steps; index += 1) {
    ticks.push({ at: index / steps, label: tickLabel(index * step, step) });
  }
  return { startMicros: start, lengthMicros, ticks };
}

/** About how wide a character of a tick's label is, in CSS pixels. */
const TICK_CHARACTER = 6.5;
/** Between two labels, at least. */
const TICK_GAP = 8;

/**
 * The ticks whose labels have room beside each other on an axis of so many CSS pixels. The last one, which tells the
 * whole length, comes first; then the first; then those between.
 */
export function roomyTicks(ticks: readonly Tick[], axisPixels: number): readonly Tick[] {
  const extent = ({ at, label }: Tick): readonly [number, number] => {
    const width = label.length * TICK_CHARACTER;
    // The outer labels stand inside the axis, the others over their tick.
    const left = at === 0 ? 0 : at === 1 ? axisPixels - width : at * axisPixels - width / 2;
    return [left, left + width];
  };
  const [last, ...others] = [...ticks.slice(-1), ...ticks.slice(0, -1)];
  if (last === undefined || (last.at === 1 && extent(last)[0] < 0)) return [];
  const kept = extent(last)[1] <= axisPixels + 0.5 && extent(last)[0] >= 0 ? [last] : [];
  for (const tick of others) {
    const [from, to] = extent(tick);
    // A tick of a chosen range may stand at the very edge.
    const isInside = from >= -0.5 && to <= axisPixels + 0.5;
    const hasRoom =
      isInside &&
      kept.every((one) => {
        const [left, right] = extent(one);
        return to + TICK_GAP <= left || from >= right + TICK_GAP;
      });
    if (hasRoom) kept.push(tick);
  }
  return kept.sort((a, b) => a.at - b.at);
}

/** Whether two scales draw the same, so that the old one can stay. */
export function sameScale(a: Scale | undefined, b: Scale | undefined): boolean {
  return (
    a?.startMicros === b?.startMicros &&
    a?.lengthMicros === b?.lengthMicros &&
    a?.ticks.length === b?.ticks.length
  );
}

/** Where a span lies on the scale; `undefined` when it lies outside. An open one reaches until now. */
export function barOf(span: Span, scale: Scale, nowMicros: number): Bar | undefined {
  const end = span.end_micros ?? Math.max(nowMicros, span.start_micros);
  const left = (span.start_micros - scale.startMicros) / scale.lengthMicros;
  const right = (end - scale.startMicros) / scale.lengthMicros;
  if (right < 0 || left > 1) return undefined;
  const from = Math.max(0, left);
  return { left: from, width: Math.max(0, Math.min(1, right) - from) };
}

/** Whether a row's clock runs. */
export function isRunning(row: Row): boolean {
  return row.end_micros === null;
}
