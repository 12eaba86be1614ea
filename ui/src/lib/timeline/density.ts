import type { DensityView } from '$lib/bindings/DensityView';

/** The whole session as the map draws it. Places are from 0 to 1. */
export interface SessionMap {
  readonly startMicros: number;
  readonly endMicros: number;
  /** The outline of the events, for a box of 1 by 1 with its top at 0. */
  readonly outline: string;
  /** Where rows became errors. */
  readonly errors: readonly number[];
}

/** The map of a session that reaches until `untilMicros` at least. Few events are seen beside many: heights are roots. */
export function sessionMap(density: DensityView, untilMicros: number): SessionMap | undefined {
  if (density.events.length === 0) return undefined;
  const startMicros = density.start_micros;
  const endMicros = Math.max(density.last_micros, untilMicros, startMicros + 1000);
  const length = endMicros - startMicros;
  const most = Math.sqrt(Math.max(...density.events));
  const parts = ['M0 1'];
  const errors: number[] = [];
  const place = (bucket: number): number => Math.min(1, (bucket * density.bucket_micros) / length);
  density.events.forEach((events, bucket) => {
    const top = most === 0 ? 1 : 1 - Math.sqrt(events) / most;
    parts.push(`L${round(place(bucket))} ${round(top)}L${round(place(bucket + 1))} ${round(top)}`);
    if ((density.errors[bucket] ?? 0) > 0) errors.push(Math.min(1, place(bucket + 0.5)));
  });
  parts.push(`L${round(place(density.events.length))} 1Z`);
  return { startMicros, endMicros, outline: parts.join(''), errors };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
