import type { OperationReply } from '$lib/bindings/OperationReply';
import type { Arguments } from '../host';

/** What a server would answer to a message that was written by hand. */
export function answerTo({ text }: Arguments<'compose'>, operation: number): OperationReply {
  let message: { id?: unknown; method?: unknown } | undefined;
  try {
    message = JSON.parse(text) as typeof message;
  } catch {
    message = undefined;
  }
  const failed = (brief: string, reply: unknown): OperationReply => ({
    operation,
    end: { kind: 'failed', brief, message: `The server answered with ${brief}.`, hint: null },
    replies: [{ round: 1, kind: 'error', text: JSON.stringify(reply), event: 0 }],
  });
  if (message === undefined)
    return failed('error -32700', {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32700, message: 'Parse error' },
    });
  if (message.id === undefined) return { operation, end: { kind: 'complete' }, replies: [] };
  const known = String(message.method).includes('/') || message.method === 'ping';
  if (!known)
    return failed('error -32601', {
      jsonrpc: '2.0',
      id: message.id,
      error: { code: -32601, message: 'Method not found' },
    });
  return {
    operation,
    end: { kind: 'complete' },
    replies: [
      {
        round: 1,
        kind: 'result',
        text: JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} }),
        event: 0,
      },
    ],
  };
}
