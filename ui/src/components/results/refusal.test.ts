import { describe, expect, it } from 'vitest';
import { refusalOf } from './refusal';

describe('error −32602', () => {
  it.each([
    ['Unknown tool: invalid_tool_name', 'tool', 'unknown tool'],
    ['MCP error -32602: Tool nope not found', 'tool', 'unknown tool'],
    ['no such prompt', 'prompt', 'unknown prompt'],
    ['Resource not found', 'resource', 'unknown resource'],
    ['Invalid params', 'tool', 'bad arguments'],
    ['Invalid arguments for tool add: "a" is required', 'tool', 'bad arguments'],
    ['Unknown field "colour"', 'tool', 'bad arguments'],
  ] as const)('%s', (message, subject, words) => {
    expect(refusalOf(-32602, message, subject)?.words).toBe(words);
  });

  it('is the only one that is told apart', () => {
    expect(refusalOf(-32603, 'Unknown tool', 'tool')).toBeUndefined();
    expect(refusalOf(null, 'Unknown tool', 'tool')).toBeUndefined();
  });
});
