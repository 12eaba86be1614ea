import { describe, expect, it } from 'vitest';
import { headerDrafts, headerEdits } from './headers';

const SENT = [
  { name: 'mcp-method', value: 'tools/call' },
  { name: 'Authorization', value: '${secret:token}' },
  { name: 'host', value: 'example.com' },
  { name: 'Content-Length', value: '12' },
];

describe('headerEdits', () => {
  it('are none while nothing was changed', () => {
    const drafts = headerDrafts(SENT);
    expect(drafts.map(({ name }) => name)).toEqual(['mcp-method', 'Authorization']);
    expect(headerEdits(drafts)).toEqual([]);
  });

  it('are what differs: changed, left out, renamed and new', () => {
    const drafts = headerDrafts(SENT);
    const [method, token] = drafts;
    if (method === undefined || token === undefined) throw new Error('two lines');
    method.value = 'tools/list';
    token.isLeftOut = true;
    drafts.push({ id: 9, name: ' X-More ', value: '1', before: undefined, isLeftOut: false });
    drafts.push({ id: 10, name: '', value: '', before: undefined, isLeftOut: false });
    expect(headerEdits(drafts)).toEqual([
      { name: 'mcp-method', value: 'tools/list' },
      { name: 'Authorization', value: null },
      { name: 'X-More', value: '1' },
    ]);
    method.name = 'Mcp-Other';
    expect(headerEdits([method])).toEqual([
      { name: 'mcp-method', value: null },
      { name: 'Mcp-Other', value: 'tools/list' },
    ]);
  });
});
