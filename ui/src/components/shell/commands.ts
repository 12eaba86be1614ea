import type { App } from '$lib/state/app.svelte';
import type { Theme } from '$lib/state/preferences.svelte';
import { visibleLine } from '$lib/text/visible';

/** An entry of the command palette. */
export interface PaletteCommand {
  /** Unique among the entries. */
  readonly id: string;
  readonly group: 'Servers' | 'Tools' | 'Timeline' | 'View';
  readonly label: string;
  readonly run: () => void;
}

const THEMES: readonly { theme: Theme; label: string }[] = [
  { theme: 'system', label: 'Theme: as the system' },
  { theme: 'light', label: 'Theme: light' },
  { theme: 'dark', label: 'Theme: dark' },
];

/** Everything that the palette offers now. */
export function paletteCommands(app: App): PaletteCommand[] {
  const commands: PaletteCommand[] = [];
  const chosen = app.chosen;
  const tools = app.chosenTools;
  const all = tools?.entries ?? [];
  if (chosen !== undefined && tools !== undefined && chosen.connection.phase === 'connected') {
    for (const tool of all) {
      if (tool.excluded !== null) continue;
      commands.push({
        id: `tool-${tool.index}`,
        group: 'Tools',
        label: `Call ${visibleLine(tool.name)}…`,
        run: () => {
          app.preferences.set({ tab: 'tools' });
          tools.filter = '';
          tools.chosen = tools.keyOf(tool);
          app.focusTool += 1;
        },
      });
    }
    for (const tool of all) {
      for (const call of tools.memory(tools.keyOf(tool)).calls.filter((one) => one.running)) {
        commands.push({
          id: `cancel-${call.id}`,
          group: 'Tools',
          label: `Cancel ${visibleLine(tool.name)}`,
          run: () => void tools.cancel(call),
        });
      }
    }
  }
  for (const server of app.servers) {
    const name = visibleLine(server.name);
    const { phase } = server.connection;
    if (phase === 'connected') {
      commands.push({
        id: `disconnect-${server.id}`,
        group: 'Servers',
        label: `Disconnect ${name}`,
        run: () => void app.disconnect(server.id),
      });
    } else if (phase === 'connecting') {
      commands.push({
        id: `stop-${server.id}`,
        group: 'Servers',
        label: `Stop connecting to ${name}`,
        run: () => void app.disconnect(server.id),
      });
    } else if (phase !== 'disconnecting') {
      commands.push({
        id: `connect-${server.id}`,
        group: 'Servers',
        label: `Connect ${name}`,
        run: () => void app.connect(server.id),
      });
    }
    if (server.id !== chosen?.id) {
      commands.push({
        id: `choose-${server.id}`,
        group: 'Servers',
        label: `Go to ${name}`,
        run: () => app.choose(server.id),
      });
    }
  }
  commands.push({ id: 'add', group: 'Servers', label: 'Add server…', run: () => (app.editing = true) });
  const { timeline } = app;
  commands.push(
    {
      id: 'follow',
      group: 'Timeline',
      label: timeline.follow ? 'Stop following new rows' : 'Follow new rows',
      run: () => timeline.setFollow(!timeline.follow),
    },
    { id: 'errors', group: 'Timeline', label: 'Show errors only', run: () => timeline.setFilter('errors') },
    { id: 'rows', group: 'Timeline', label: 'Show all rows', run: () => timeline.setFilter('all') },
    {
      id: 'overview',
      group: 'View',
      label: 'Go to Overview',
      run: () => app.preferences.set({ tab: 'overview' }),
    },
    { id: 'tools', group: 'View', label: 'Go to Tools', run: () => app.preferences.set({ tab: 'tools' }) },
    {
      id: 'resources',
      group: 'View',
      label: 'Go to Resources',
      run: () => app.preferences.set({ tab: 'resources' }),
    },
    {
      id: 'prompts',
      group: 'View',
      label: 'Go to Prompts',
      run: () => app.preferences.set({ tab: 'prompts' }),
    },
    {
      id: 'right',
      group: 'View',
      label: app.preferences.values.rightOpen ? 'Hide prompts and details' : 'Show prompts and details',
      run: () => app.preferences.set({ rightOpen: !app.preferences.values.rightOpen }),
    },
  );
  for (const { theme, label } of THEMES) {
    if (theme !== app.preferences.values.theme) {
      commands.push({
        id: `theme-${theme}`,
        group: 'View',
        label,
        run: () => app.preferences.set({ theme }),
      });
    }
  }
  return commands;
}
