import type { Asked } from '$lib/json/request';
import { placed, type Schema } from '../form/model/placed';

/* What the parameters of a request may hold: the protocol's part, with the server's schemas in it. */

/** A key of `_meta` that the specification reserves, with what it is for. */
const META: Schema = {
  progressToken: { type: ['string', 'number'], description: 'asks for progress notifications' },
  'io.modelcontextprotocol/protocolVersion': { type: 'string', description: 'the revision of this request' },
  'io.modelcontextprotocol/clientInfo': {
    type: 'object',
    properties: { name: { type: 'string' }, title: { type: 'string' }, version: { type: 'string' } },
  },
  'io.modelcontextprotocol/clientCapabilities': {
    type: 'object',
    properties: {
      elicitation: { type: 'object', properties: { form: { type: 'object' }, url: { type: 'object' } } },
      sampling: { type: 'object', properties: { tools: { type: 'object' }, context: { type: 'object' } } },
      roots: { type: 'object' },
      extensions: { type: 'object', properties: { 'io.modelcontextprotocol/tasks': { type: 'object' } } },
      experimental: { type: 'object' },
    },
  },
  'io.modelcontextprotocol/logLevel': {
    enum: ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'],
  },
  traceparent: { type: 'string', description: 'W3C Trace Context' },
  tracestate: { type: 'string', description: 'W3C Trace Context' },
  baggage: { type: 'string', description: 'W3C Baggage' },
};

/** The schema of a request's parameters. */
export function paramsSchema(
  method: string,
  inputSchema: string | undefined,
  asked: readonly Asked[],
): Schema {
  const properties: Record<string, unknown> = { _meta: { type: 'object', properties: META } };
  if (method === 'tools/call' || method === 'prompts/get') {
    properties['name'] = { type: 'string' };
    properties['arguments'] = placed(inputSchema ?? '', '/properties/arguments') ?? { type: 'object' };
  }
  if (method === 'resources/read') properties['uri'] = { type: 'string' };
  if (method.endsWith('/list')) properties['cursor'] = { type: 'string' };
  if (asked.length > 0) {
    const answers = asked.map(
      ({ key, method: asks, schema }) => [key, answerSchema(asks, key, schema)] as const,
    );
    properties['inputResponses'] = { type: 'object', properties: Object.fromEntries(answers) };
    properties['requestState'] = { type: 'string', description: 'what the server gave, to the letter' };
  }
  return { type: 'object', properties };
}

function answerSchema(method: string, key: string, schema: string | undefined): Schema {
  switch (method) {
    case 'sampling/createMessage':
      return {
        type: 'object',
        properties: {
          role: { enum: ['assistant', 'user'] },
          content: {
            type: 'object',
            properties: { type: { enum: ['text', 'image', 'audio', 'tool_use'] }, text: { type: 'string' } },
          },
          model: { type: 'string' },
          stopReason: { enum: ['endTurn', 'stopSequence', 'maxTokens', 'toolUse'] },
        },
      };
    case 'roots/list':
      return {
        type: 'object',
        properties: {
          roots: {
            type: 'array',
            items: { type: 'object', properties: { uri: { type: 'string' }, name: { type: 'string' } } },
          },
        },
      };
    default:
      return {
        type: 'object',
        properties: {
          action: { enum: ['accept', 'decline', 'cancel'] },
          content: placed(schema ?? '', contentPlace(key)) ?? { type: 'object' },
        },
      };
  }
}

function contentPlace(key: string): string {
  const escaped = encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
  return `/properties/inputResponses/properties/${escaped}/properties/content`;
}
