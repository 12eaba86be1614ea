import { createSubscriber } from 'svelte/reactivity';

/** Frames of the running clock come no closer than this: fluent to the eye, half the work of every frame. */
const FRAME_MILLIS = 30;

/**
 * The core's clock. Reading {@link now} in an effect or a template keeps it running; when nothing reads it, no
 * frame is asked for.
 */
export class CoreClock {
  #offsetMicros: number | undefined;
  #subscribe: () => void;

  constructor() {
    this.#subscribe = createSubscriber((update) => {
      let frame = 0;
      let last = 0;
      const tick = (at: number): void => {
        if (at - last >= FRAME_MILLIS) {
          last = at;
          update();
        }
        frame = requestAnimationFrame(tick);
      };
      frame = requestAnimationFrame(tick);
      return () => cancelAnimationFrame(frame);
    });
  }

  /** The core's time as a batch brought it. The largest offset wins: a batch can only be late, never early. */
  set(nowMicros: number): void {
    const offset = nowMicros - performance.now() * 1000;
    // A jump of the wall clock is followed at once.
    if (
      this.#offsetMicros === undefined ||
      offset > this.#offsetMicros ||
      this.#offsetMicros - offset > 2_000_000
    ) {
      this.#offsetMicros = offset;
    }
  }

  /** Microseconds since the Unix epoch, without keeping the clock running. */
  peek(): number {
    if (this.#offsetMicros === undefined) return Date.now() * 1000;
    return performance.now() * 1000 + this.#offsetMicros;
  }

  /** Microseconds since the Unix epoch; what reads it is drawn again as time goes on. */
  get now(): number {
    this.#subscribe();
    return this.peek();
  }
}

export const clock = new CoreClock();
