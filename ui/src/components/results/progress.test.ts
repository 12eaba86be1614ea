import { describe, expect, it } from 'vitest';
import type { EventLine } from '$lib/bindings/EventLine';
import { progressOf } from './progress';

const line = (text: string, direction: EventLine['direction'] = 'received'): EventLine => ({
  event: 1,
  at_micros: 1,
  kind: 'SSE event',
  direction,
  carrier: 'sse_event',
  text,
  byte_len: text.length,
});
const progress = (params: unknown): EventLine =>
  line(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }));

describe('progressOf', () => {
  it('says the last one', () => {
    expect(
      progressOf([
        progress({ progress: 1, total: 4 }),
        progress({ progress: 2, total: 4, message: 'row 2' }),
      ]),
    ).toBe('2 of 4 · row 2');
    expect(progressOf([progress({ progress: 0.5 }), line('{"jsonrpc":"2.0","id":1,"result":{}}')])).toBe(
      '0.5',
    );
  });

  it('passes over what it cannot read', () => {
    expect(progressOf([])).toBeUndefined();
    expect(
      progressOf([progress({ progress: 3 }), line('{"method":"notifications/progress","params":{"mess…')]),
    ).toBe('3');
    expect(progressOf([progress({ progress: 'three' })])).toBeUndefined();
  });
});
