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
