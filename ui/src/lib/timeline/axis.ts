import { roundStep, tickLabel, type Scale, type Tick } from './scale';

/** A stretch of time that was chosen for the waterfall. In microseconds; the start since the Unix epoch. */
export interface TimeRange {
  readonly startMicros: number;
  readonly lengthMicros: number;
}

/** From the first to the latest moment that there is. */
export interface Bounds {
  readonly startMicros: number;
  readonly endMicros: number;
}

/** The closest look: bars of a microsecond are as wide as a finger. */
export const SHORTEST_MICROS = 20;
/** How much emptiness may be beside the session, in parts of the range. */
const MARGIN = 0.5;
/** How much farther than the whole session one may step back. */
const FARTHEST = 1.25;

/** The range as near to the one that is wanted as the session allows. */
export function within(range: TimeRange, bounds: Bounds): TimeRange {
  const whole = Math.max(bounds.endMicros - bounds.startMicros, 1000);
  const lengthMicros = Math.max(SHORTEST_MICROS, Math.min(range.lengthMicros, whole * FARTHEST));
  const earliest = bounds.startMicros - lengthMicros * MARGIN;
  const latest = Math.max(earliest, bounds.endMicros - lengthMicros * (1 - MARGIN));
  const startMicros = Math.max(earliest, Math.min(range.startMicros, latest));
  return { startMicros, lengthMicros };
}

/** Closer (`factor` below 1) or farther, with the moment at `at` (0 left, 1 right) staying where it is. */
export function zoomed(range: TimeRange, at: number, factor: number, bounds: Bounds): TimeRange {
  const moment = range.startMicros + range.lengthMicros * at;
  const whole = Math.max(bounds.endMicros - bounds.startMicros, 1000) * FARTHEST;
  const lengthMicros = Math.max(SHORTEST_MICROS, Math.min(range.lengthMicros * factor, whole));
  return within({ startMicros: moment - lengthMicros * at, lengthMicros }, bounds);
}

/** Moved by parts of its length; to the right where they are positive. */
export function panned(range: TimeRange, parts: number, bounds: Bounds): TimeRange {
  return within({ ...range, startMicros: range.startMicros + range.lengthMicros * parts }, bounds);
}

/** The stretch between two places of a scale, in either order. */
export function between(scale: TimeRange, from: number, to: number): TimeRange {
  const left = Math.min(from, to);
  return {
    startMicros: scale.startMicros + scale.lengthMicros * left,
    lengthMicros: scale.lengthMicros * Math.abs(to - from),
  };
}

/** Moved, and only if it must be, so that a bar of this time shows; one that is longer shows its beginning. */
export function showing(range: TimeRange, startMicros: number, endMicros: number, bounds: Bounds): TimeRange {
  const end = range.startMicros + range.lengthMicros;
  if (startMicros >= range.startMicros && endMicros <= end) return range;
  const middle = (startMicros + Math.min(endMicros, startMicros + range.lengthMicros)) / 2;
  return within({ ...range, startMicros: middle - range.lengthMicros / 2 }, bounds);
}

/** The scale of a chosen range: its ticks are round moments, told from `originMicros` on. */
export function scaleWithin(range: TimeRange, originMicros: number, mostSteps: number): Scale {
  const { startMicros, lengthMicros } = range;
  const step = roundStep(lengthMicros, mostSteps);
  const since = startMicros - originMicros;
  const reach = Math.max(Math.abs(since), Math.abs(since + lengthMicros));
  const ticks: Tick[] = [];
  for (let value = Math.ceil(since / step) * step; value <= since + lengthMicros; value += step) {
    ticks.push({ at: (value - since) / lengthMicros, label: momentLabel(value, step, reach) });
  }
  return { startMicros, lengthMicros, ticks };
}

/** A moment in a unit that its distance asks for, with the digits that the step asks for: `5421.25 s`, `-20 ms`. */
export function momentLabel(micros: number, step: number, reach = Math.abs(micros)): string {
  const value = Math.round(micros);
  if (step >= 1_000_000) return tickLabel(value, step);
  if (reach >= 1_000_000) return `${fixed(value / 1e6, step / 1e6)} s`;
  if (reach >= 1000) return `${fixed(value / 1000, step / 1000)} ms`;
  return `${value} µs`;
}

function fixed(value: number, step: number): string {
  const digits = step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step) - 1e-9));
  return value.toFixed(digits);
}
