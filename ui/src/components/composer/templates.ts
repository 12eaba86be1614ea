import type { ServerReport } from '$lib/bindings/ServerReport';

/** A message to begin with. */
export interface Template {
  readonly method: string;
  /** The parameters that the method has; the values are to be filled in. */
  readonly params?: Readonly<Record<string, unknown>>;
}

const BOTH: readonly Template[] = [
  { method: 'tools/list' },
  { method: 'tools/call', params: { name: '', arguments: {} } },
  { method: 'resources/list' },
  { method: 'resources/templates/list' },
  { method: 'resources/read', params: { uri: '' } },
  { method: 'prompts/list' },
  { method: 'prompts/get', params: { name: '', arguments: {} } },
  {
    method: 'completion/complete',
    params: { ref: { type: 'ref/prompt', name: '' }, argument: { name: '', value: '' } },
  },
];

/** 2026-07-28. */
const MODERN: readonly Template[] = [
  { method: 'server/discover' },
  ...BOTH,
  { method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } },
  { method: 'tasks/get', params: { taskId: '' } },
  { method: 'tasks/update', params: { taskId: '', inputResponses: {} } },
  { method: 'tasks/cancel', params: { taskId: '' } },
  { method: 'notifications/cancelled', params: { requestId: 1 } },
  { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
];

/** What came with later legacy revisions is offered from them on. */
const LEGACY: readonly (Template & { readonly since?: string })[] = [
  { method: 'ping' },
  ...BOTH,
  { method: 'resources/subscribe', params: { uri: '' } },
  { method: 'resources/unsubscribe', params: { uri: '' } },
  { method: 'logging/setLevel', params: { level: 'debug' } },
  { method: 'tasks/list', since: '2025-11-25' },
  { method: 'tasks/get', params: { taskId: '' }, since: '2025-11-25' },
  { method: 'tasks/result', params: { taskId: '' }, since: '2025-11-25' },
  { method: 'tasks/cancel', params: { taskId: '' }, since: '2025-11-25' },
  {
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'roundtrip', version: '1.0.0' },
    },
  },
  { method: 'notifications/initialized' },
  { method: 'notifications/cancelled', params: { requestId: 1 } },
  { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
  { method: 'notifications/roots/list_changed' },
];

/** The messages that a client may send in a server's revision. */
export function templatesOf(report: ServerReport | null): readonly Template[] {
  if (report === null || report.era === 'modern') return MODERN;
  // Dated revisions compare as text.
  return LEGACY.filter(({ since }) => since === undefined || report.revision >= since);
}

/** The text of a message that begins with a template, with the `_meta` that the revision wants in each request. */
export function messageOf(template: Template, report: ServerReport | null, id: number): string {
  const isNotification = template.method.startsWith('notifications/');
  const meta =
    report?.era === 'modern' && !isNotification
      ? {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': report.revision,
            'io.modelcontextprotocol/clientInfo': { name: 'roundtrip', version: '1.0.0' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        }
      : undefined;
  const params =
    template.params === undefined && meta === undefined ? undefined : { ...template.params, ...meta };
  return JSON.stringify(
    {
      jsonrpc: '2.0',
      ...(isNotification ? {} : { id }),
      method: template.method,
      ...(params === undefined ? {} : { params }),
    },
    null,
    2,
  );
}
