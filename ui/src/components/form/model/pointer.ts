/** JSON pointers (RFC 6901). The empty pointer is the whole value. */

import { get, type JsonNode } from './json';

export function joinPointer(parent: string, key: string | number): string {
  return `${parent}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

export function splitPointer(pointer: string): string[] {
  if (!pointer.startsWith('/')) return [];
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The pointer one level up; the empty one stays. */
export function parentPointer(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')));
}

/** The node that a pointer names. */
export function follow(root: JsonNode, pointer: string): JsonNode | undefined {
  let node: JsonNode | undefined = root;
  for (const part of splitPointer(pointer)) {
    node = node.kind === 'array' ? itemAt(node.items, part) : get(node, part);
    if (node === undefined) return undefined;
  }
  return node;
}

function itemAt(items: readonly JsonNode[], part: string): JsonNode | undefined {
  return /^(?:0|[1-9]\d*)$/.test(part) ? items[Number(part)] : undefined;
}
