import type { App } from '$lib/state/app.svelte';
import { titleOf } from '$lib/state/recordings.svelte';
import { moment } from '$lib/text/quantity';
import { visibleLine } from '$lib/text/visible';
import type { Command } from './command';

/** Recordings beyond these are in the list only. */
const MOST_RECORDINGS = 20;

/** What can be done with past sessions. */
export function recordingCommands(app: App): Command[] {
  const { recordings } = app;
  const group = 'Recordings';
  const commands: Command[] = [];
  if (recordings.past !== null) {
    commands.push({ id: 'live', group, label: 'Back to the live session', run: () => recordings.leave() });
  }
  for (const one of recordings.all.filter((each) => each.state !== 'running').slice(0, MOST_RECORDINGS)) {
    if (one.id === recordings.past?.view.id) continue;
    const label = `Open the recording ${visibleLine(titleOf(one))}, ${moment(one.start_micros ?? 0)}`;
    commands.push({ id: `recording-${one.id}`, group, label, run: () => void recordings.open(one.id) });
  }
  commands.push({
    id: 'import',
    group,
    label: 'Import a recording, JSON lines or HAR…',
    run: () => void app.importFile(),
  });
  commands.push({
    id: 'limits',
    group,
    label: 'How long recordings are kept…',
    run: () => (recordings.limiting = true),
  });
  return commands;
}
