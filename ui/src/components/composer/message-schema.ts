import type { OfferedPromptView } from '$lib/bindings/OfferedPromptView';
import type { ResourceView } from '$lib/bindings/ResourceView';
import type { ServerReport } from '$lib/bindings/ServerReport';
import { placed, type Schema } from '../form/model/placed';
import { templatesOf, type Template } from './templates';

/** What is known of a server, for what is suggested while a message is written. */
export interface Known {
  readonly report: ServerReport | null;
  /** Tools with the schemas of their arguments, JSON text. */
  readonly tools: readonly { readonly name: string; readonly input_schema: string }[];
  readonly prompts: readonly OfferedPromptView[];
  readonly resources: readonly ResourceView[];
}

const MOST_NAMES = 2000;

/** A schema of the message that is being written, as JSON text: its method and its tool are read from the text. */
export function messageSchema(text: string, known: Known): string {
  const templates = templatesOf(known.report);
  const method = /"method"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  const template = templates.find((one) => one.method === method);
  const isNotification = method?.startsWith('notifications/') === true;
  const schema: Schema = {
    type: 'object',
    properties: {
      jsonrpc: { const: '2.0' },
      ...(isNotification ? {} : { id: { type: ['integer', 'string'], description: 'names the reply' } }),
      method: { type: 'string', enum: templates.map((one) => one.method) },
      params: params(method, template, text, known),
    },
    required: ['jsonrpc', 'method'],
  };
  return JSON.stringify(schema);
}

function params(
  method: string | undefined,
  template: Template | undefined,
  text: string,
  known: Known,
): Schema {
  const properties: Record<string, Schema> = {};
  for (const [name, value] of Object.entries(template?.params ?? {})) properties[name] = like(value);
  const isRequest = method?.startsWith('notifications/') !== true;
  if (isRequest) properties['_meta'] = meta(known.report);
  if (method?.endsWith('/list') === true) properties['cursor'] = { type: 'string' };
  const named = namedIn(text);
  switch (method ?? '') {
    case 'tools/call': {
      properties['name'] = oneOf(known.tools.map(({ name }) => name));
      const tool = known.tools.find(({ name }) => name === named);
      const place = '/properties/params/properties/arguments';
      properties['arguments'] = (tool && placed(tool.input_schema, place)) ?? { type: 'object' };
      break;
    }
    case 'prompts/get': {
      properties['name'] = oneOf(known.prompts.map(({ name }) => name));
      const prompt = known.prompts.find(({ name }) => name === named);
      properties['arguments'] = {
        type: 'object',
        properties: Object.fromEntries(
          (prompt?.arguments ?? []).map(({ name, description }) => [
            name,
            { type: 'string', description: description ?? '' },
          ]),
        ),
      };
      break;
    }
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      properties['uri'] = oneOf(known.resources.map(({ uri }) => uri));
      break;
    case 'logging/setLevel':
      properties['level'] = oneOf([
        'debug',
        'info',
        'notice',
        'warning',
        'error',
        'critical',
        'alert',
        'emergency',
      ]);
      break;
    case 'completion/complete':
      properties['ref'] = {
        oneOf: [
          {
            type: 'object',
            properties: { type: { const: 'ref/prompt' }, name: oneOf(known.prompts.map(({ name }) => name)) },
          },
          { type: 'object', properties: { type: { const: 'ref/resource' }, uri: { type: 'string' } } },
        ],
      };
      break;
  }
  return { type: 'object', properties };
}

function namedIn(text: string): string | undefined {
  const params = text.slice(Math.max(0, text.indexOf('"params"')));
  return /"name"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(
    params.replace(/"_meta"\s*:\s*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/, ''),
  )?.[1];
}

function oneOf(names: readonly string[]): Schema {
  return { type: 'string', enum: [...new Set(names)].slice(0, MOST_NAMES) };
}

function like(value: unknown): Schema {
  if (Array.isArray(value)) return { type: 'array' };
  if (typeof value === 'object' && value !== null) {
    return {
      type: 'object',
      properties: Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, like(inner)])),
    };
  }
  if (typeof value === 'number') return { type: 'integer' };
  return typeof value === 'boolean' ? { type: 'boolean' } : { type: 'string' };
}

function meta(report: ServerReport | null): Schema {
  const own: Record<string, Schema> = {
    progressToken: { type: ['integer', 'string'], description: 'progress is told with it' },
  };
  if (report?.era === 'modern') {
    own['io.modelcontextprotocol/protocolVersion'] = { const: report.revision };
    own['io.modelcontextprotocol/clientInfo'] = {
      type: 'object',
      properties: { name: { type: 'string' }, version: { type: 'string' } },
    };
    own['io.modelcontextprotocol/clientCapabilities'] = {
      type: 'object',
      properties: {
        elicitation: { type: 'object', properties: { form: { type: 'object' }, url: { type: 'object' } } },
        sampling: { type: 'object' },
        roots: { type: 'object' },
        extensions: { type: 'object', properties: { 'io.modelcontextprotocol/tasks': { type: 'object' } } },
      },
    };
    own['io.modelcontextprotocol/logLevel'] = oneOf([
      'debug',
      'info',
      'notice',
      'warning',
      'error',
      'critical',
      'alert',
      'emergency',
    ]);
  }
  return { type: 'object', properties: own };
}
