import { expect, it } from 'vitest';
import type { CallOutcome } from '$lib/bindings/CallOutcome';
import { outcomeText } from './outcome';

function ended(result: CallOutcome['result']): CallOutcome {
  return {
    operation: 1,
    result,
    total_micros: 1,
    server_micros: 1,
    user_micros: 0,
    time_micros: 0,
    from_cache_micros: null,
  };
}

it('lays JSON out without touching a token', () => {
  const text = outcomeText(
    ended({
      kind: 'tool',
      is_error: false,
      content: [{ kind: 'text', text: '{"id":12345678901234567890,"a":[1.10,"x,{\\"y"]}' }],
      structured: null,
      problems: [],
      event: null,
    }),
  );
  expect(text).toBe('{\n  "id": 12345678901234567890,\n  "a": [\n    1.10,\n    "x,{\\"y"\n  ]\n}');
});

it('tells pictures apart and says what is empty or failed', () => {
  const picture = (base64: string): string =>
    outcomeText(
      ended({
        kind: 'tool',
        is_error: true,
        content: [{ kind: 'image', mime_type: 'image/png', base64, problem: null }],
        structured: null,
        problems: [],
        event: null,
      }),
    );
  expect(picture('AAAA')).not.toBe(picture('AAAB'));
  expect(picture('AAAA')).toMatch(/^tool error\n/);
  const empty = {
    kind: 'tool',
    is_error: false,
    content: [],
    structured: null,
    problems: [],
    event: null,
  } as const;
  expect(outcomeText(ended({ ...empty, content: [], problems: [] }))).toBe('empty result');
  const error = { code: 'failed', message: 'No', hint: null } as const;
  expect(outcomeText(ended({ kind: 'failed', code: -32602, error, data: null }))).toBe('error -32602: No');
});
