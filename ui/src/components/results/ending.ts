import type { CallOutcome } from '$lib/bindings/CallOutcome';
import { timeOfDay } from '$lib/text/quantity';
import { refusalOf, type Subject } from './refusal';

export interface Ending {
  readonly mark: string;
  readonly words: string;
  readonly tone: 'ok' | 'error' | 'cancelled';
}

/** How a call ended, in two words. */
export function endingOf(outcome: CallOutcome, subject: Subject): Ending {
  const { result } = outcome;
  switch (result.kind) {
    case 'tool':
      return result.is_error
        ? { mark: '✕', words: 'tool error', tone: 'error' }
        : { mark: '●', words: 'complete', tone: 'ok' };
    case 'resource':
    case 'prompt':
      return {
        mark: '●',
        words:
          outcome.from_cache_micros === null
            ? 'complete'
            : `from cache, fetched ${timeOfDay(outcome.from_cache_micros).slice(0, 8)}`,
        tone: 'ok',
      };
    case 'failed': {
      const refusal = refusalOf(result.code, result.error.message, subject);
      const code = result.code === null ? 'failed' : `failed ${minus(result.code)}`;
      return { mark: '✕', words: refusal === undefined ? code : `${code}, ${refusal.words}`, tone: 'error' };
    }
    case 'cancelled':
      return { mark: '○', words: 'cancelled by you', tone: 'cancelled' };
  }
}

/** A code with a real minus. */
export function minus(code: number): string {
  return String(code).replace('-', '−');
}
