// A server on the official TypeScript SDK v2 that speaks only the modern era, over Streamable HTTP on a free loopback
// port. Its first line on stdout is its URL. It ends with its stdin.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { z } from 'zod';

function build() {
  const server = new McpServer(
    { name: 'sdk-v2', title: 'TypeScript SDK v2', version: '1.0.0' },
    { instructions: 'Adds numbers and repeats words.' },
  );
  server.registerTool(
    'add',
    {
      title: 'Add',
      description: 'Adds two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({
      content: [{ type: 'text', text: `${a} + ${b} = ${a + b}` }],
      structuredContent: { sum: a + b },
    }),
  );
  server.registerTool(
    'repeat',
    {
      description: 'Repeats a word',
      inputSchema: z.object({
        word: z.string(),
        times: z.number().int().min(1).max(100).default(2),
        loud: z.boolean().optional(),
      }),
    },
    ({ word, times, loud }) => {
      const text = Array.from({ length: times }, () => word).join(' ');
      return { content: [{ type: 'text', text: loud ? text.toUpperCase() : text }] };
    },
  );
  server.registerTool('refuse', { description: 'Always fails', inputSchema: z.object({}) }, () => {
    throw new Error('refused, as this tool always does');
  });
  return server;
}

const handler = toNodeHandler(createMcpHandler(build, { legacy: 'reject' }));
const listener = createServer((request, response) => {
  if (new URL(request.url ?? '/', 'http://127.0.0.1').pathname === '/mcp') {
    handler(request, response);
  } else {
    response.writeHead(404).end();
  }
});
listener.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${listener.address().port}/mcp`);
});
process.stdin.resume().on('end', () => process.exit(0));
