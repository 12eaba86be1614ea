import { describe, expect, it } from 'vitest';
import type { ServerReport } from '$lib/bindings/ServerReport';
import { suggester } from '../form/model/suggest';
import { messageSchema } from './message-schema';
import { readMessage } from './reading';
import { messageOf, templatesOf } from './templates';

const report = (era: string, revision: string): ServerReport => ({
  era,
  revision,
  era_reason: '',
  supported_revisions: [],
  name: null,
  title: null,
  version: null,
  website: null,
  instructions: null,
  capabilities: '{}',
  capability_names: [],
  client_capabilities: '{}',
});

const methods = (era: string, revision: string): string[] =>
  templatesOf(report(era, revision)).map(({ method }) => method);

describe('templates', () => {
  it('are those of the revision', () => {
    expect(methods('modern', '2026-07-28')).toContain('subscriptions/listen');
    expect(methods('modern', '2026-07-28')).not.toContain('ping');
    expect(methods('legacy', '2025-06-18')).toContain('logging/setLevel');
    expect(methods('legacy', '2025-06-18')).not.toContain('tasks/list');
    expect(methods('legacy', '2025-11-25')).toContain('tasks/list');
  });

  it('carry the _meta that a modern request needs, and a notification has no id', () => {
    const modern = JSON.parse(
      messageOf({ method: 'tools/call', params: { name: 'x' } }, report('modern', '2026-07-28'), 7),
    ) as { id: number; params: { _meta: Record<string, unknown>; name: string } };
    expect(modern.id).toBe(7);
    expect(modern.params.name).toBe('x');
    expect(modern.params._meta['io.modelcontextprotocol/protocolVersion']).toBe('2026-07-28');
    expect(JSON.parse(messageOf({ method: 'ping' }, report('legacy', '2025-11-25'), 1))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'ping',
    });
    expect(messageOf({ method: 'notifications/initialized' }, null, 1)).not.toContain('"id"');
  });
});

describe('what is written', () => {
  it('is named for what it is', () => {
    const kind = (text: string): string => readMessage(text).kind;
    expect(kind('  ')).toBe('nothing');
    expect(kind('{"jsonrpc":"2.0","id":1,"method":"ping"}')).toBe('request');
    expect(kind('{"jsonrpc":"2.0","method":"notifications/x"}')).toBe('notification');
    expect(kind('{"jsonrpc":"2.0","id":1,"result":{}}')).toBe('reply');
    expect(kind('[]')).toBe('batch');
    expect(kind('{"id":')).toBe('unreadable');
    expect(kind('7')).toBe('other');
  });

  it('is warned about, and what is right is not', () => {
    const warnings = (text: string): readonly string[] => readMessage(text).warnings;
    expect(warnings('{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}')).toEqual([]);
    expect(warnings('{"jsonrpc":"2.0","id":1,\n"method":"ping"}')).toEqual([]);
    expect(warnings('{"id":1.5,"method":7,"params":[]}')).toHaveLength(4);
    expect(warnings('{"jsonrpc":"2.0","id":1,"method":"notifications/x"}')).toEqual([
      'A notification has no "id".',
    ]);
    expect(warnings('{\n"id":')).toHaveLength(1);
  });
});

describe('what is suggested', () => {
  const known = {
    report: report('modern', '2026-07-28'),
    tools: [
      {
        name: 'book',
        input_schema:
          '{"type":"object","properties":{"city":{"enum":["Rome","Oslo"]},"spot":{"$ref":"#/$defs/Spot"}},"required":["city"],"$defs":{"Spot":{"type":"object","properties":{"row":{"type":"integer"}}}}}',
      },
      { name: 'cancel', input_schema: '{"type":"object"}' },
    ],
    prompts: [],
    resources: [],
  };
  /** The suggestions where `|` stands. */
  const at = (marked: string): readonly string[] => {
    const offset = marked.indexOf('|');
    const text = marked.replace('|', '');
    return suggester(messageSchema(text, known))(text, offset)?.all.map(({ label }) => label) ?? [];
  };

  it('are methods, parameters, tools, and the names and values of their arguments', () => {
    expect(at('{|}')).toEqual(['jsonrpc', 'method', 'id', 'params']);
    expect(at('{"method": "tools/|"}')).toEqual(['tools/list', 'tools/call']);
    expect(at('{"method":"tools/call","params":{|}}')).toEqual(['name', 'arguments', '_meta']);
    expect(at('{"method":"tools/call","params":{"name":"|"}}')).toEqual(['book', 'cancel']);
    const call = (args: string): string =>
      `{"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"x"}},"name":"book","arguments":${args}}}`;
    expect(at(call('{|}'))).toEqual(['city', 'spot']);
    expect(at(call('{"city":"O|"}'))).toEqual(['Oslo', 'Rome'].slice(0, 2));
    expect(at(call('{"city":"Rome","spot":{|}}'))).toEqual(['row']);
    expect(
      at('{"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion": |}}}'),
    ).toEqual(['2026-07-28']);
  });

  it('are none where nothing is known, and in what is no JSON', () => {
    expect(at('{"method":"odd/one","params":{"x":|}}')).toEqual([]);
    expect(at('nonsense|')).toEqual([]);
    expect(at('|')).toEqual([]);
    expect(at('{"id": 1 |')).toEqual([]);
  });
});
