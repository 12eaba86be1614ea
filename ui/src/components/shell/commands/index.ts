import type { App } from '$lib/state/app.svelte';
import { isPressed, isWriting } from '$lib/keys/shortcuts';
import type { Command } from './command';
import { offerCommands } from './offers';
import { recordingCommands } from './recordings';
import { serverCommands } from './servers';
import { viewCommands } from './view';

export { GROUPS, matching, type Command } from './command';

/** Everything that the palette offers now. */
export function allCommands(app: App): Command[] {
  return [
    ...offerCommands(app),
    ...serverCommands(app),
    ...recordingCommands(app),
    // The palette is not opened from itself.
    ...viewCommands(app).filter(({ id }) => id !== 'palette'),
  ];
}

/** Those that have keys. */
export function commandsWithKeys(app: App): Command[] {
  return [...viewCommands(app), ...serverCommands(app)].filter(({ keys }) => keys !== undefined);
}

/** Runs what the pressed keys mean, wherever the focus is. */
export function runPressed(app: App, event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  // On its own a letter or a sign is text, and undo belongs to the text that is written.
  const plain = !event.ctrlKey && !event.metaKey && event.key.length === 1;
  const ofText = plain || event.key.toLowerCase() === 'z';
  if (ofText && isWriting(event.target)) return;
  // `=` is `+` without Shift.
  const keys = event.key === '=' ? { ...pick(event), key: '+' } : event;
  const command = commandsWithKeys(app).find((one) => isPressed(keys, one.keys ?? ''));
  if (command === undefined) return;
  // What lies under a dialog stays as it is, but for its size and for closing the palette.
  const dialogOpen = document.querySelector('[role=dialog],[role=alertdialog]') !== null;
  if (dialogOpen && !['larger', 'smaller', 'usual', 'palette'].includes(command.id)) return;
  event.preventDefault();
  command.run();
}

function pick({ ctrlKey, metaKey, altKey, shiftKey, key }: KeyboardEvent): Parameters<typeof isPressed>[0] {
  return { ctrlKey, metaKey, altKey, shiftKey, key };
}
