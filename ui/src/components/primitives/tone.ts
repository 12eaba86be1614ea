/** What a colour means; the same hue in chips, dots, bars and texts. */
export type Tone = 'muted' | 'accent' | 'server' | 'user' | 'time' | 'ok' | 'error' | 'cancelled';
