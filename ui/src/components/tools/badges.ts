import type { ToolView } from '$lib/bindings/ToolView';
import type { Tone } from '../primitives/tone';

export interface Badge {
  readonly text: string;
  readonly tone: Tone;
  /** What the server's word means. */
  readonly title: string;
  /** Also in the list. */
  readonly listed: boolean;
}

/** Whether the server says that the tool may destroy something. */
export function isDestructive(tool: ToolView): boolean {
  return tool.destructive === true && tool.read_only !== true;
}

/**
 * What a server says of its tool. Hints are its word and no promise (2026-07-28 server/tools § Tool annotations). Whether
 * a call may become a task is said of a tool in 2025-11-25 alone (execution.taskSupport).
 */
export function badgesOf(tool: ToolView, isLegacy: boolean): Badge[] {
  const badges: Badge[] = [];
  const add = (text: string, tone: Tone, title: string, listed = false): void => {
    badges.push({ text, tone, title: `The server says: ${title}`, listed });
  };
  if (tool.read_only === true) add('read-only', 'muted', 'it changes nothing', true);
  if (isDestructive(tool)) add('destructive', 'error', 'it may destroy or overwrite something', true);
  if (tool.read_only !== true && tool.destructive === false) add('additive', 'muted', 'it only adds');
  if (tool.idempotent === true) add('idempotent', 'muted', 'calling it twice is as calling it once');
  if (tool.open_world === true)
    add('open world', 'muted', 'it reaches beyond its own domain, such as the web');
  if (tool.open_world === false) add('closed world', 'muted', 'it stays within its own domain');
  if (isLegacy && tool.task_support === 'required')
    add('runs as a task', 'time', 'it must be called as a task', true);
  if (isLegacy && tool.task_support === 'optional')
    add('may run as a task', 'time', 'it can be called as a task', true);
  return badges;
}

/** Why a tool cannot be called, when it cannot. */
export function whyNot(tool: ToolView): string | undefined {
  if (tool.excluded !== null) return tool.excluded;
  return tool.name === '' ? (tool.problems[0] ?? 'It has no name.') : undefined;
}
