import type { EventLine } from '$lib/bindings/EventLine';

/** What the last progress notification among some events says: `40 of 100 · importing`. */
export function progressOf(lines: readonly EventLine[]): string | undefined {
  for (const { text, direction } of [...lines].reverse()) {
    if (direction !== 'received' || !text.includes('notifications/progress')) continue;
    try {
      const { method, params } = JSON.parse(text) as {
        method?: unknown;
        params?: { progress?: unknown; total?: unknown; message?: unknown };
      };
      if (method !== 'notifications/progress' || typeof params?.progress !== 'number') continue;
      const figure =
        typeof params.total === 'number' ? `${params.progress} of ${params.total}` : String(params.progress);
      return typeof params.message === 'string' && params.message !== ''
        ? `${figure} · ${params.message}`
        : figure;
    } catch {
      // The line was cut, or is not what it seems; the one before may do.
    }
  }
  return undefined;
}
