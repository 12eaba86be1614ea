import type { RowState } from '$lib/bindings/RowState';
import type { Tone } from '../primitives/tone';

/** The hue of each state; the same in rows, bars and chips. */
export const TONE_OF: Record<RowState, Tone> = {
  running: 'server',
  waiting_on_you: 'user',
  waiting_on_time: 'time',
  complete: 'ok',
  error: 'error',
  cancelled: 'cancelled',
  note: 'muted',
};

/** A shape beside the colour, so that the state does not rest on hue alone. */
export const GLYPH_OF: Record<RowState, string> = {
  running: '◌',
  waiting_on_you: '◐',
  waiting_on_time: '◔',
  complete: '●',
  error: '✕',
  cancelled: '⊘',
  note: '',
};
