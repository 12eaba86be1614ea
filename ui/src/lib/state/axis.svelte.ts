import type { DensityView } from '$lib/bindings/DensityView';
import type { Host } from '$lib/host/host';
import { panned, showing, within, zoomed, type Bounds, type TimeRange } from '$lib/timeline/axis';
import { clock } from './clock.svelte';

/** The map of the session is read at most this often. */
const REFRESH_MILLIS = 400;

/** Which time the waterfall shows: what its visible rows need, or a range that the person chose. */
export class TimeAxis {
  /** The chosen range; `null` while the axis fits the visible rows. */
  range: TimeRange | null = $state.raw(null);
  /** When how much happened in the whole session. */
  density: DensityView | null = $state.raw(null);
  /** What the ticks count from while a range is chosen. */
  originMicros = $state(0);

  /** The chosen range held the latest moment when it was chosen, so it goes along with the time. */
  #isAtEnd = false;
  readonly #host: Host;
  #watchers = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #readAt = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  /** From the first event to the latest, or to the end of what is shown. */
  bounds(shown: TimeRange): Bounds {
    const density = this.density;
    const end = shown.startMicros + shown.lengthMicros;
    if (density === null || density.events.length === 0)
      return { startMicros: shown.startMicros, endMicros: end };
    return { startMicros: density.start_micros, endMicros: Math.max(density.last_micros, clock.peek()) };
  }

  zoom(shown: TimeRange, at: number, factor: number): void {
    this.#choose(shown, zoomed(shown, at, factor, this.bounds(shown)));
  }

  pan(shown: TimeRange, parts: number): void {
    this.#choose(shown, panned(shown, parts, this.bounds(shown)));
    // Who goes back wants to read: going along with the time would undo the step.
    if (parts < 0) this.#isAtEnd = false;
  }

  show(shown: TimeRange, range: TimeRange): void {
    this.#choose(shown, within(range, this.bounds(shown)));
  }

  /** Brings a time into the chosen range. */
  bring(shown: TimeRange, startMicros: number, endMicros: number): void {
    this.#choose(shown, showing(shown, startMicros, endMicros, this.bounds(shown)));
  }

  /** Back to what the visible rows need. */
  fit(): void {
    this.range = null;
  }

  /** Goes along with the latest moment, in steps, so that the axis does not run. */
  keepUp(latestMicros: number): void {
    const { range } = this;
    if (range === null || !this.#isAtEnd) return;
    const over = latestMicros - (range.startMicros + range.lengthMicros);
    if (over <= 0) return;
    const step = range.lengthMicros / 4;
    this.range = { ...range, startMicros: range.startMicros + Math.ceil(over / step) * step };
  }

  #choose(shown: TimeRange, range: TimeRange): void {
    if (this.range === null) this.originMicros = shown.startMicros;
    this.range = range;
    this.#isAtEnd = range.startMicros + range.lengthMicros >= this.bounds(shown).endMicros;
  }

  /** Somebody draws the map: it is kept up to date until the function that this gives is called. */
  watch(): () => void {
    this.#watchers += 1;
    this.changed();
    return () => {
      this.#watchers -= 1;
      if (this.#watchers > 0) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  /** The journal has grown. */
  changed(): void {
    if (this.#watchers === 0 || this.#timer !== undefined) return;
    const wait = Math.max(0, this.#readAt + REFRESH_MILLIS - performance.now());
    this.#timer = setTimeout(() => void this.#read(), wait);
  }

  async #read(): Promise<void> {
    this.#readAt = performance.now();
    try {
      this.density = await this.#host.rpc('density', {});
    } catch {
      // The map is a help: without it the timeline works, and the next event asks again.
    }
    this.#timer = undefined;
  }
}
