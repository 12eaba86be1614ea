import type { FoundJson } from '$lib/bindings/FoundJson';
import type { JsonChildren } from '$lib/bindings/JsonChildren';
import type { Host } from '$lib/host/host';
import { childrenOf, findIn, valueText } from './outline';

/** Where a tree has its values from: the core, or a text in the page. */
export interface JsonSource {
  /** Some children of the value at an offset; with `null` the root, as the only child. */
  children(at: number | null, start: number, length: number): Promise<JsonChildren>;
  /** The text of a value, exactly as it came. */
  value(at: number): Promise<string>;
  find(text: string): Promise<FoundJson>;
}

/** The JSON in an event, which stays in the core. */
export function eventSource(host: Host, event: number): JsonSource {
  return {
    children: (at, start, len) => host.rpc('json_children', { event, at, start, len }),
    value: (at) => host.rpc('json_value', { event, at }),
    find: (text) => host.rpc('find_json', { event, text }),
  };
}

/** A JSON text that is in the page already. */
export function textSource(json: string): JsonSource {
  return {
    children: (at, start, length) => Promise.resolve(childrenOf(json, at, start, length)),
    value: (at) => Promise.resolve(valueText(json, at)),
    find: (text) => Promise.resolve(findIn(json, text)),
  };
}
