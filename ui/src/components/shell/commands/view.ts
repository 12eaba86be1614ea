import type { App } from '$lib/state/app.svelte';
import { zoomed } from '$lib/state/zoom';
import { THEMES } from '../../settings/themes';
import { focusPane } from '../panes';
import { WORKBENCH_TABS } from '../tabs';
import type { Command } from './command';

/** What can be done with the window and the timeline. */
export function viewCommands(app: App): Command[] {
  const { timeline, preferences } = app;
  const { theme, density, zoom, rightOpen, thisServerOnly } = preferences.values;
  const commands: Command[] = WORKBENCH_TABS.map(({ value, label }, at) => ({
    id: `tab-${value}`,
    group: 'View',
    label: `Go to ${label}`,
    ...(at < 9 ? { keys: `Mod+${at + 1}` } : {}),
    run: () => preferences.set({ tab: value }),
  }));
  const add = (group: Command['group'], id: string, label: string, run: () => void, keys?: string): void => {
    commands.push({ id, group, label, run, ...(keys === undefined ? {} : { keys }) });
  };

  add('Timeline', 'follow', timeline.follow ? 'Stop following new rows' : 'Follow new rows', () =>
    timeline.setFollow(!timeline.follow),
  );
  add('Timeline', 'find', 'Find in the timeline', () => (app.find.focusWish += 1), 'Mod+F');
  add('Timeline', 'find-next', 'Next row that fits', () => app.find.stepOrAsk(false), 'F3');
  add('Timeline', 'find-last', 'Previous row that fits', () => app.find.stepOrAsk(true), 'Shift+F3');
  add('Timeline', 'export', 'Export…', () => app.askToExport(), 'Mod+E');
  add('Timeline', 'rows', 'Show all rows', () => timeline.setFilter('all'));
  add('Timeline', 'errors', 'Show errors only', () => timeline.setFilter('errors'));
  add(
    'Timeline',
    'scope',
    thisServerOnly ? 'Show the rows of all servers' : 'Show the rows of this server only',
    () => preferences.set({ thisServerOnly: !thisServerOnly }),
  );

  add('View', 'all-tasks', 'Go to the tasks of all servers', () => app.showTasks(true));
  add('View', 'palette', 'Commands', () => (app.paletteOpen = !app.paletteOpen), 'Mod+K');
  add('View', 'secrets', 'Secrets…', () => app.secrets.open(), 'Mod+Shift+K');
  add('View', 'settings', 'Settings…', () => (app.settingsOpen = true), 'Mod+,');
  add('View', 'shortcuts', 'Keyboard shortcuts', () => (app.shortcutsOpen = true), '?');
  add(
    'View',
    'right',
    rightOpen ? 'Hide prompts and details' : 'Show prompts and details',
    () => preferences.set({ rightOpen: !rightOpen }),
    'Mod+J',
  );
  add('View', 'next-pane', 'Go to the next pane', () => focusPane(1), 'F6');
  add('View', 'last-pane', 'Go to the pane before', () => focusPane(-1), 'Shift+F6');
  add('View', 'undo', 'Undo', () => void app.toasts.undoLast(), 'Mod+Z');
  add('View', 'larger', 'Zoom in', () => preferences.set({ zoom: zoomed(zoom, 1) }), 'Mod++');
  add('View', 'smaller', 'Zoom out', () => preferences.set({ zoom: zoomed(zoom, -1) }), 'Mod+-');
  add('View', 'usual', 'Zoom to the usual size', () => preferences.set({ zoom: 1 }), 'Mod+0');
  add('View', 'density', density === 'compact' ? 'Density: comfortable' : 'Density: compact', () =>
    preferences.set({ density: density === 'compact' ? 'comfortable' : 'compact' }),
  );
  for (const { value, label } of THEMES) {
    if (value === theme) continue;
    add('View', `theme-${value}`, `Theme: ${label.toLowerCase()}`, () => preferences.set({ theme: value }));
  }
  return commands;
}
