import type { TaskView } from '$lib/bindings/TaskView';
import { byteSize, duration, plural } from '$lib/text/quantity';
import type { Tone } from '../primitives/tone';

/** A state in words, with its hue and its shape. */
export interface StatusWords {
  readonly glyph: string;
  readonly words: string;
  readonly tone: Tone;
}

/** The status as a person reads it: what the server said, and what became of it here. */
export function statusWords(task: TaskView): StatusWords {
  switch (task.standing) {
    case 'expired':
      return { glyph: '⊘', words: 'expired', tone: 'error' };
    case 'lost':
      return { glyph: '✕', words: 'unknown to the server', tone: 'error' };
    case 'let_go':
      return { glyph: '⊘', words: 'not followed', tone: 'cancelled' };
    case 'unfollowed':
      return { glyph: '◌', words: `${running(task)}, not polled`, tone: 'cancelled' };
    case 'over':
      return ended(task);
    case 'followed':
      break;
  }
  if (task.open_prompts > 0) return { glyph: '◐', words: 'needs input', tone: 'user' };
  if (task.is_cancel_asked && task.cancel_refusal === null) {
    return { glyph: '◍', words: 'cancel asked', tone: 'cancelled' };
  }
  if (task.failed_polls > 0) {
    return { glyph: '◌', words: `${plural(task.failed_polls, 'poll')} failed`, tone: 'error' };
  }
  return { glyph: '◌', words: running(task), tone: 'time' };
}

function running(task: TaskView): string {
  return task.status === 'input_required' ? 'input required' : task.status;
}

function ended(task: TaskView): StatusWords {
  if (task.status === 'cancelled') return { glyph: '⊘', words: 'cancelled', tone: 'cancelled' };
  if (task.end_brief === null && task.status === 'completed') {
    return { glyph: '●', words: 'completed', tone: 'ok' };
  }
  const brief = (task.end_brief ?? '').replace(/^error -?/, (mark) => (mark.endsWith('-') ? '−' : ''));
  return { glyph: '✕', words: `failed ${brief}`.trimEnd(), tone: 'error' };
}

/** What stands in the column of the server's words. `quiet` is said by Roundtrip. */
export function message(task: TaskView): { text: string; quiet: boolean } {
  const said = task.status_message;
  if (task.standing === 'over') {
    if (task.status === 'completed' && task.is_cancel_asked) {
      return { text: 'completed before the cancel took effect', quiet: true };
    }
    if (task.end_message !== null && task.end_brief !== 'tool error') {
      return { text: task.end_message, quiet: false };
    }
    if (said !== null) return { text: said, quiet: false };
    return {
      text: task.result_byte_len === null ? '' : `result ${byteSize(task.result_byte_len)}`,
      quiet: true,
    };
  }
  if (task.standing === 'lost' || task.standing === 'expired') {
    return { text: task.end_message ?? 'The server tells nothing more of it.', quiet: true };
  }
  if (task.open_prompts > 0) return { text: plural(task.open_prompts, 'question'), quiet: true };
  if (task.cancel_refusal !== null) {
    return { text: `would not cancel: ${task.cancel_refusal}`, quiet: true };
  }
  if (task.problem !== null) return { text: task.problem, quiet: true };
  if (task.is_cancel_asked) return { text: said ?? 'the server may still finish', quiet: said === null };
  return { text: said ?? '', quiet: false };
}

/** How far away something is, steady while it counts down: `in 3.2 s`, `12 min`. */
export function countdown(micros: number): string {
  const seconds = micros / 1e6;
  if (seconds <= 0) return 'now';
  if (seconds < 10) return `${(Math.ceil(seconds * 10) / 10).toFixed(1)} s`;
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  const hours = Math.floor(seconds / 3600);
  if (hours < 48) return `${hours} h ${String(Math.round((seconds % 3600) / 60)).padStart(2, '0')} min`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** How long ago, coarse: `12 s`, `4 min`, `3 h`, `2 days`. */
export function age(micros: number): string {
  const seconds = Math.max(0, Math.floor(micros / 1e6));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}

/** How polls are paced, for the tooltip of the next one. */
export function paceWords(task: TaskView): string {
  const named = task.poll_interval_millis;
  const own = task.own_interval_millis;
  const apart = (millis: number): string => duration(millis * 1000);
  if (task.is_paused) return 'You paused its polls.';
  if (task.is_listened) {
    return 'The server tells of changes by itself; it is polled only now and then all the same.';
  }
  if (own !== null) {
    if (named !== null && own < named) {
      return task.is_forced
        ? `Every ${apart(own)} as you set; the server wants ${apart(named)}.`
        : `Every ${apart(named)} as the server wants; yours would be ${apart(own)}.`;
    }
    return `Every ${apart(own)} as you set.`;
  }
  return named === null ? 'The server names no interval.' : `Every ${apart(named)} as the server wants.`;
}

/** An identifier in a narrow column: its beginning and its end. */
export function shortId(id: string): string {
  return id.length <= 12 ? id : `${id.slice(0, 4)}…${id.slice(-4)}`;
}
