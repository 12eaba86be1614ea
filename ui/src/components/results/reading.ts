import { getContext, setContext } from 'svelte';
import type { CallOutcome } from '$lib/bindings/CallOutcome';

/** Reads a resource of the server that the results around are of. */
export type ReadResource = (uri: string) => Promise<CallOutcome>;

const KEY = Symbol('read resource');

export function provideReading(read: ReadResource): void {
  setContext(KEY, read);
}

/** Absent where nothing can be read, as in a recording. */
export function useReading(): ReadResource | undefined {
  return getContext<ReadResource | undefined>(KEY);
}
