import type { ServerView } from '$lib/bindings/ServerView';
import type { Tone } from '../primitives/tone';

/** The dot beside a server. */
export function toneOf({ connection }: ServerView): Tone {
  switch (connection.phase) {
    case 'connected':
      return 'ok';
    case 'connecting':
    case 'disconnecting':
      return 'server';
    case 'failed':
      return 'error';
    case 'disconnected':
      return 'muted';
  }
}

/** What an address is called in one word or two: its host, or its program. */
export function place({ transport, address }: ServerView): string {
  if (transport === 'http') {
    try {
      return new URL(address).host;
    } catch {
      return address;
    }
  }
  const program = address.split(/\s/)[0] ?? address;
  return program.split(/[\\/]/).at(-1) ?? program;
}

/** The line below a server's name: its transport and how it stands. */
export function summaryOf(server: ServerView): string {
  const { connection } = server;
  switch (connection.phase) {
    case 'connected': {
      const report = connection.report;
      const spoken = report === null ? '' : report.era === 'modern' ? ' · modern' : ` · ${report.revision}`;
      return server.builtin
        ? `built in · ${server.transport}${spoken}`
        : `${server.transport} · ${place(server)}${spoken}`;
    }
    case 'connecting':
      return connection.step ?? 'connecting';
    case 'disconnecting':
      return 'disconnecting';
    case 'failed':
      return `${server.transport} · ${connection.error?.code === 'sign_in_needed' ? 'sign-in needed' : connection.error?.code === 'wrong_era' ? 'another era' : 'failed'}`;
    case 'disconnected':
      return server.builtin ? `built in · ${server.transport}` : `${server.transport} · ${place(server)}`;
  }
}

/** For screen readers. */
export function phaseWord({ connection }: ServerView): string {
  return connection.phase === 'disconnected' ? 'not connected' : connection.phase;
}
