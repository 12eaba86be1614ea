/**
 * Makes something that outlives whatever is being drawn just now. What is derived belongs to the effect in which it was
 * made, and stands still once that is gone: an object with derived members that is first asked for by a component, and
 * kept, has to be made by this.
 */
export function lasting<T>(make: () => T): T {
  const made: { value?: T } = {};
  $effect.root(() => {
    made.value = make();
  });
  return made.value as T;
}

/** What is kept of each server as long as the window lives: made when it is first asked for. */
export class PerServer<T> {
  readonly #make: (server: string) => T;
  readonly #made = new Map<string, T>();

  constructor(make: (server: string) => T) {
    this.#make = make;
  }

  of(server: string): T {
    let one = this.#made.get(server);
    if (one === undefined) {
      one = lasting(() => this.#make(server));
      this.#made.set(server, one);
    }
    return one;
  }

  /** Those that were asked for. */
  entries(): readonly (readonly [server: string, one: T])[] {
    return [...this.#made];
  }

  values(): readonly T[] {
    return [...this.#made.values()];
  }
}
