/** What a written message is, and what a server will hardly like of it. It is sent as it is all the same. */
export interface Reading {
  readonly kind: 'nothing' | 'request' | 'notification' | 'reply' | 'batch' | 'unreadable' | 'other';
  readonly method: string | undefined;
  readonly warnings: readonly string[];
}

/** Reads a message for who writes it. */
export function readMessage(text: string): Reading {
  if (text.trim() === '') return { kind: 'nothing', method: undefined, warnings: [] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      kind: 'unreadable',
      method: undefined,
      warnings: [`This is not valid JSON: ${why}`],
    };
  }
  if (Array.isArray(value)) {
    return {
      kind: 'batch',
      method: undefined,
      warnings: ['Batches were part of 2025-03-26 alone; other revisions refuse them.'],
    };
  }
  if (typeof value !== 'object' || value === null) {
    return { kind: 'other', method: undefined, warnings: ['A message is a JSON object.'] };
  }
  const message = value as Record<string, unknown>;
  const warnings: string[] = [];
  if (message['jsonrpc'] !== '2.0') warnings.push('"jsonrpc" is not "2.0".');
  const { method, id, params } = message;
  const isReply = method === undefined && ('result' in message || 'error' in message);
  if (!isReply && typeof method !== 'string') warnings.push('There is no "method".');
  if ('id' in message && typeof id !== 'string' && !Number.isInteger(id))
    warnings.push('"id" is neither a text nor an integer.');
  if (params !== undefined && (typeof params !== 'object' || params === null || Array.isArray(params)))
    warnings.push('"params" is not an object.');
  if (typeof method === 'string' && method.startsWith('notifications/') && 'id' in message)
    warnings.push('A notification has no "id".');
  const name = typeof method === 'string' ? method : undefined;
  if (isReply) return { kind: 'reply', method: name, warnings };
  if (name === undefined) return { kind: 'other', method: name, warnings };
  return { kind: 'id' in message ? 'request' : 'notification', method: name, warnings };
}
