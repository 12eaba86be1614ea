import type { App } from '$lib/state/app.svelte';
import type { Listed, ServerList } from '$lib/state/lists.svelte';
import type { WorkbenchTab } from '$lib/state/preferences.svelte';
import { shortened, visibleLine } from '$lib/text/visible';
import type { Command } from './command';

/** What can be done with what the chosen server offers. */
export function offerCommands(app: App): Command[] {
  const server = app.chosen;
  if (server === undefined || server.connection.phase !== 'connected') return [];
  const tools = app.toolsOf(server.id);
  const offers = app.offersOf(server.id);
  const commands: Command[] = [];

  const entries = <T extends Listed>(
    list: ServerList<T>,
    group: Command['group'],
    tab: WorkbenchTab,
    verb: string,
    before?: () => void,
    fits: (entry: T) => boolean = () => true,
  ): void => {
    for (const entry of list.entries) {
      if (!fits(entry)) continue;
      commands.push({
        id: `${list.sort.kind}-${entry.index}`,
        group,
        label: `${verb} ${visibleLine(shortened(list.sort.name(entry), 200))}…`,
        run: () => {
          before?.();
          app.preferences.set({ tab });
          list.filter = '';
          list.chosen = list.keyOf(entry);
          app.focusTool += 1;
        },
      });
    }
  };

  for (const tool of tools.entries) {
    for (const call of tools.memory(tools.keyOf(tool)).calls.filter((one) => one.running)) {
      commands.push({
        id: `cancel-${call.id}`,
        group: 'Tools',
        label: `Cancel ${visibleLine(tool.name)}`,
        run: () => void tools.cancel(call),
      });
    }
  }
  entries(tools, 'Tools', 'tools', 'Call', undefined, (tool) => tool.excluded === null);
  entries(offers.resources, 'Resources', 'resources', 'Read', () => (offers.part = 'resources'));
  entries(offers.templates, 'Resources', 'resources', 'Fill in', () => (offers.part = 'templates'));
  entries(offers.prompts, 'Prompts', 'prompts', 'Get');
  for (const [list, noun, group] of [
    [tools, 'tools', 'Tools'],
    [offers.resources, 'resources', 'Resources'],
    [offers.templates, 'resource templates', 'Resources'],
    [offers.prompts, 'prompts', 'Prompts'],
  ] as const) {
    if (list.list?.declared !== true) continue;
    commands.push({
      id: `fetch-${list.sort.kind}`,
      group,
      label: `Fetch the list of ${noun} again`,
      run: () => void list.refresh(),
    });
  }
  return commands;
}
