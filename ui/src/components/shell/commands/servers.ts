import type { ServerView } from '$lib/bindings/ServerView';
import type { App } from '$lib/state/app.svelte';
import { visibleLine } from '$lib/text/visible';
import type { Command } from './command';

/** What can be done with the servers. */
export function serverCommands(app: App): Command[] {
  const commands: Command[] = [];
  const chosen = app.chosen;
  if (chosen !== undefined) commands.push(connection(app, chosen));
  for (const server of app.servers) {
    if (server !== chosen) commands.push({ ...connection(app, server), id: `connection-${server.id}` });
  }
  // The chosen one's has its keys; the others go by name.
  commands.forEach((command, at) => {
    if (at > 0)
      commands[at] = { id: command.id, group: command.group, label: command.label, run: command.run };
  });
  for (const server of app.servers) commands.push(...others(app, server));
  commands.push({
    id: 'add',
    group: 'Servers',
    label: 'Add server…',
    keys: 'Mod+N',
    run: () => (app.editing = true),
  });
  return commands;
}

/** The one thing that its connection can be asked for now. */
function connection(app: App, server: ServerView): Command {
  const name = visibleLine(server.name);
  const { phase } = server.connection;
  const base = { id: 'connection', group: 'Servers', keys: 'Mod+Shift+Enter' } as const;
  switch (phase) {
    case 'connected':
      return { ...base, label: `Disconnect ${name}`, run: () => void app.disconnect(server.id) };
    case 'connecting':
      return { ...base, label: `Stop connecting to ${name}`, run: () => void app.disconnect(server.id) };
    case 'disconnecting':
      return { ...base, label: `Go to ${name}, which is disconnecting`, run: () => app.choose(server.id) };
    case 'disconnected':
    case 'failed':
      return { ...base, label: `Connect ${name}`, run: () => void app.connect(server.id) };
  }
}

function others(app: App, server: ServerView): Command[] {
  const name = visibleLine(server.name);
  const { phase } = server.connection;
  const commands: Command[] = [];
  const add = (id: string, label: string, run: () => void): void => {
    commands.push({ id: `${id}-${server.id}`, group: 'Servers', label, run });
  };
  if (server.id !== app.chosen?.id) add('choose', `Go to ${name}`, () => app.choose(server.id));
  if (phase === 'connected') add('reconnect', `Reconnect ${name}`, () => void app.reconnect(server.id));
  if (phase === 'disconnected' || phase === 'failed') {
    add('modern', `Connect ${name} as modern`, () => void app.connect(server.id, 'modern'));
    add('legacy', `Connect ${name} as legacy`, () => void app.connect(server.id, 'legacy'));
  }
  if (server.draft !== null) {
    add('edit', `Edit ${name}…`, () => (app.editing = server));
    add('remove', `Remove ${name}…`, () => app.askToRemove(server));
  }
  return commands;
}
