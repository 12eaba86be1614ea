import type { MirroredParameter } from '$lib/bindings/MirroredParameter';
import { visibleLine } from '$lib/text/visible';

/** The JSON pointer of a chain of keys (RFC 6901). */
export function pointerOf(path: readonly string[]): string {
  return path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** What the form says below a parameter that also travels as a header. */
export function headerNotes(mirrored: readonly MirroredParameter[]): Record<string, string> {
  return Object.fromEntries(
    mirrored.map(({ path, header }) => [pointerOf(path), `sent as ${visibleLine(header)} header`]),
  );
}
