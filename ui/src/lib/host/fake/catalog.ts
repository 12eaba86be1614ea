import type { ConnectionView } from '$lib/bindings/ConnectionView';
import type { ServerReport } from '$lib/bindings/ServerReport';
import type { ServerView } from '$lib/bindings/ServerView';
import type { ToolView } from '$lib/bindings/ToolView';
import { nowMicros } from './journal';

export function disconnected(): ConnectionView {
  return {
    phase: 'disconnected',
    since_micros: nowMicros(),
    step: null,
    error: null,
    operation: null,
    report: null,
    pid: null,
    last_round_trip_micros: null,
    subscriptions_version: 0,
    tools_version: 0,
    tool_count: null,
    resources: { version: 0, count: null, declared: false },
    resource_templates: { version: 0, count: null, declared: false },
    prompts: { version: 0, count: null, declared: false },
    open_prompts: 0,
    wakes: false,
  };
}

const CLIENT_CAPABILITIES = JSON.stringify({ elicitation: { form: {} } }, null, 2);

export function report(era: 'modern' | 'legacy', name: string): ServerReport {
  const capabilities =
    era === 'modern'
      ? { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, completions: {} }
      : { tools: { listChanged: true }, logging: {} };
  return {
    era,
    revision: era === 'modern' ? '2026-07-28' : '2025-11-25',
    era_reason:
      era === 'modern'
        ? 'server/discover answered in 12 ms'
        : 'fell back to initialize: server/discover got error -32601 (Method not found)',
    supported_revisions: era === 'modern' ? ['2026-07-28', '2025-11-25'] : [],
    name,
    title: name === 'restaurant-bookings' ? 'Restaurant bookings' : null,
    version: '1.4.2',
    website: name === 'restaurant-bookings' ? 'https://bookings.example/docs' : null,
    instructions:
      name === 'restaurant-bookings'
        ? 'Search before you book: find_restaurants gives the ids that book_table wants.\n\nBookings within two hours need a deposit; the server asks for it in a second round.'
        : null,
    capabilities: JSON.stringify(capabilities, null, 2),
    capability_names: Object.keys(capabilities),
    client_capabilities: CLIENT_CAPABILITIES,
  };
}

export function connected(era: 'modern' | 'legacy', name: string, tools: number): ConnectionView {
  return {
    ...disconnected(),
    phase: 'connected',
    report: report(era, name),
    last_round_trip_micros: 12_140,
    subscriptions_version: 0,
    tools_version: 1,
    tool_count: tools,
    resources: { version: 1, count: null, declared: era === 'modern' },
    resource_templates: { version: 1, count: null, declared: era === 'modern' },
    prompts: { version: 1, count: null, declared: era === 'modern' },
  };
}

export function servers(): ServerView[] {
  return [
    {
      id: 'bookings',
      name: 'restaurant-bookings',
      builtin: false,
      transport: 'http',
      address: 'http://localhost:8080/mcp',
      draft: {
        name: 'restaurant-bookings',
        endpoint: {
          transport: 'http',
          url: 'http://localhost:8080/mcp',
          headers: [{ name: 'Authorization', value: '', secret: true }],
        },
        era: 'auto',
      },
      connection: connected('modern', 'restaurant-bookings', 12),
    },
    {
      id: 'filesystem',
      name: 'filesystem',
      builtin: false,
      transport: 'stdio',
      address: 'npx -y @modelcontextprotocol/server-filesystem /tmp',
      draft: {
        name: 'filesystem',
        endpoint: {
          transport: 'stdio',
          command: 'npx',
          args: ['-y', '@modelcontextprotocol/server-filesystem', '/tmp'],
          env: [],
          folder: null,
        },
        era: 'auto',
      },
      connection: { ...connected('legacy', 'secure-filesystem-server', 3), pid: 4211 },
    },
    {
      id: 'billing',
      name: 'billing-staging',
      builtin: false,
      transport: 'http',
      address: 'https://billing.staging.example/mcp',
      draft: {
        name: 'billing-staging',
        endpoint: { transport: 'http', url: 'https://billing.staging.example/mcp', headers: [] },
        era: 'auto',
      },
      connection: {
        ...disconnected(),
        phase: 'failed',
        error: {
          code: 'sign_in_needed',
          message: 'https://billing.staging.example/mcp answered HTTP 401 (Bearer realm="billing").',
          hint: 'Add an Authorization header to the server, or sign in where it issues tokens.',
        },
      },
    },
    {
      id: 'old',
      name: 'old-notes',
      builtin: false,
      transport: 'stdio',
      address: 'node notes.js',
      draft: {
        name: 'old-notes',
        endpoint: {
          transport: 'stdio',
          command: 'node',
          args: ['notes.js'],
          env: [],
          folder: '/home/ana/notes',
        },
        era: 'modern',
      },
      connection: {
        ...disconnected(),
        phase: 'failed',
        error: {
          code: 'wrong_era',
          message:
            '“node notes.js” does not know server/discover: it answered error -32601 (Method not found).',
          hint: 'It may speak an older revision. Connect as legacy, or let the era be found automatically.',
        },
      },
    },
    {
      id: 'demo-stdio',
      name: 'Demo server',
      builtin: true,
      transport: 'stdio',
      address: 'roundtrip demo-server',
      draft: null,
      connection: disconnected(),
    },
    {
      id: 'demo-http',
      name: 'Demo server (HTTP)',
      builtin: true,
      transport: 'http',
      address: 'http://127.0.0.1:0/mcp',
      draft: null,
      connection: disconnected(),
    },
    {
      id: 'demo-sign-in',
      name: 'Demo server (sign-in)',
      builtin: true,
      transport: 'http',
      address: 'built in · HTTP on this machine, with sign-in',
      draft: null,
      connection: disconnected(),
    },
  ];
}

function tool(
  name: string,
  description: string,
  schema: unknown,
  more: Partial<ToolView> = {},
): Omit<ToolView, 'index'> {
  return {
    nth: 0,
    mark: null,
    name,
    title: null,
    description,
    input_schema: JSON.stringify(schema),
    output_schema: null,
    read_only: null,
    destructive: null,
    idempotent: null,
    open_world: null,
    problems: [],
    excluded: null,
    mirrored: [],
    ...more,
  };
}

const text = (description?: string): unknown => ({
  type: 'string',
  ...(description === undefined ? {} : { description }),
});

export function toolsOf(server: string): ToolView[] {
  const tools =
    server === 'filesystem'
      ? [
          tool(
            'read_file',
            'Read the whole of a file',
            { type: 'object', properties: { path: text() }, required: ['path'] },
            { read_only: true },
          ),
          tool(
            'write_file',
            'Create or replace a file',
            { type: 'object', properties: { path: text(), content: text() }, required: ['path', 'content'] },
            { destructive: true },
          ),
          tool(
            'list_directory',
            'List a folder',
            { type: 'object', properties: { path: text() }, required: ['path'] },
            { read_only: true },
          ),
        ]
      : [
          tool(
            'book_table',
            'Reserve a table at a restaurant',
            {
              type: 'object',
              properties: {
                restaurant: text('As find_restaurants gives it'),
                date: { type: 'string', format: 'date' },
                notes: text(),
              },
              required: ['restaurant', 'date'],
            },
            { mirrored: [{ path: ['date'], header: 'Mcp-Param-Date' }] },
          ),
          tool(
            'find_restaurants',
            'Search by city, cuisine and date',
            {
              type: 'object',
              properties: {
                city: text(),
                cuisine: { type: 'string', enum: ['italian', 'japanese', 'mexican'] },
                within: {
                  type: 'object',
                  title: 'Within',
                  properties: { km: { type: 'number', minimum: 0 }, of: text() },
                },
                open_now: { type: 'boolean' },
              },
              required: ['city'],
            },
            { read_only: true },
          ),
          tool('import_menu', 'Import a menu, with progress as it goes', {
            type: 'object',
            properties: { rows: { type: 'integer', minimum: 1, maximum: 1000, default: 20 } },
          }),
          tool(
            'cancel_booking',
            'Cancel a reservation',
            { type: 'object', properties: { id: text() }, required: ['id'] },
            { destructive: true },
          ),
          tool(
            'floor_plan',
            'A picture of the tables',
            { type: 'object', properties: {} },
            { read_only: true, title: 'Floor plan' },
          ),
          tool('flood', 'Sends many progress notifications', {
            type: 'object',
            properties: { count: { type: 'integer', default: 100000 } },
          }),
          tool('always_fails', 'Answers with isError', { type: 'object', properties: {} }),
          tool('rejects', 'Answers with a JSON-RPC error', { type: 'object', properties: {} }),
          tool(
            'region_report',
            'A report for a region',
            { type: 'object', properties: { region: { type: 'object', 'x-mcp-header': 'Region' } } },
            {
              excluded:
                'x-mcp-header stands on “region”, which is an object; only primitive types may be mirrored.',
            },
          ),
          tool(
            '',
            'This entry came without a name',
            { type: 'object' },
            { problems: ['the entry has no name'] },
          ),
          tool('hostile\u202egnp.exe', 'Its name hides a right-to-left override', {
            type: 'object',
            properties: {},
          }),
          tool(
            'a_tool_with_a_very_long_name_that_does_not_fit_in_the_list_by_any_means',
            'And a description that is longer than anything the list could ever hope to show on one line of it',
            { type: 'object', properties: {} },
          ),
        ];
  return tools.map((entry, index) => ({ ...entry, index }));
}
