// A server on the official TypeScript SDK v2 whose tools ask the person, in both eras: a client of 2026-07-28 is asked
// within results, an older one by requests while its call waits, which the SDK does by itself.
//
//   node asking.mjs stdio    over standard input and output, in both eras
//   node asking.mjs http     over Streamable HTTP on a free loopback port, in the modern era; its first line on stdout is
//                            its URL, and it ends with its stdin
import { createServer } from 'node:http';
import { randomBytes } from 'node:crypto';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  McpServer,
  acceptedContent,
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const states = createRequestStateCodec({ key: randomBytes(32) });
const said = (text) => ({ content: [{ type: 'text', text }] });

const GUEST = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', minLength: 2 },
    email: { type: 'string', title: 'E-mail', format: 'email' },
    born: { type: 'string', title: 'Born', format: 'date' },
    nights: { type: 'integer', title: 'Nights', minimum: 1, maximum: 30 },
    tip: { type: 'number', title: 'Tip', default: 2.5 },
    breakfast: { type: 'boolean', title: 'Breakfast' },
    room: { type: 'string', title: 'Room', enum: ['single', 'double', 'suite'] },
    view: {
      type: 'string',
      title: 'View',
      oneOf: [
        { const: 'n', title: 'Garden' },
        { const: 's', title: 'Sea' },
      ],
    },
    papers: { type: 'array', title: 'Papers', items: { type: 'string', enum: ['morning', 'evening'] } },
    pillows: {
      type: 'array',
      title: 'Pillows',
      minItems: 1,
      items: {
        anyOf: [
          { const: 'p1', title: 'Soft' },
          { const: 'p2', title: 'Hard' },
        ],
      },
    },
  },
  required: ['name', 'nights', 'pillows'],
};

const one = (name, title) => ({
  type: 'object',
  properties: { [name]: { type: 'string', title } },
  required: [name],
});

function build() {
  const server = new McpServer(
    { name: 'asking', title: 'Asking', version: '1.0.0' },
    { requestState: { verify: states.verify } },
  );
  server.registerTool(
    'guest',
    { description: 'Asks with every kind of field', inputSchema: z.object({}) },
    (_, ctx) => {
      const reply = inputResponse(ctx.mcpReq.inputResponses, 'guest');
      if (reply.kind === 'elicit') {
        return said(`${reply.action}: ${JSON.stringify(reply.content ?? null)}`);
      }
      return inputRequired({
        inputRequests: { guest: inputRequired.elicit({ message: 'Who are you?', requestedSchema: GUEST }) },
      });
    },
  );
  server.registerTool(
    'pair',
    { description: 'Asks two forms at once', inputSchema: z.object({}) },
    (_, ctx) => {
      const first = acceptedContent(ctx.mcpReq.inputResponses, 'first');
      const second = acceptedContent(ctx.mcpReq.inputResponses, 'second');
      if (first && second) return said(`${first.left} and ${second.right}`);
      return inputRequired({
        inputRequests: {
          first: inputRequired.elicit({ message: 'The left one?', requestedSchema: one('left', 'Left') }),
          second: inputRequired.elicit({ message: 'The right one?', requestedSchema: one('right', 'Right') }),
        },
      });
    },
  );
  server.registerTool(
    'rounds',
    { description: 'Asks three times', inputSchema: z.object({}) },
    async (_, ctx) => {
      const words = ctx.mcpReq.requestState()?.words ?? [];
      const reply = acceptedContent(ctx.mcpReq.inputResponses, 'word');
      if (reply) words.push(reply.word);
      if (words.length === 3) return said(words.join(' '));
      return inputRequired({
        inputRequests: {
          word: inputRequired.elicit({
            message: `Word ${words.length + 1}?`,
            requestedSchema: one('word', 'Word'),
          }),
        },
        requestState: await states.mint({ words }, ctx),
      });
    },
  );
  return server;
}

if (process.argv[2] === 'stdio') {
  serveStdio(build);
} else {
  const handler = toNodeHandler(createMcpHandler(build, { legacy: 'reject' }));
  const listener = createServer((request, response) => handler(request, response));
  listener.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${listener.address().port}/mcp`));
  process.stdin.resume().on('end', () => process.exit(0));
}
