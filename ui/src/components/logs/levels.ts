/** The levels of RFC 5424, the mildest first. */
export const LEVELS: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

export type Ink = 'muted' | 'plain' | 'server' | 'user' | 'error';

/** In which ink a level is written. */
export function inkOf(level: string | null): Ink {
  switch (level) {
    case 'debug':
      return 'muted';
    case 'notice':
      return 'server';
    case 'warning':
      return 'user';
    case 'error':
    case 'critical':
    case 'alert':
    case 'emergency':
      return 'error';
    default:
      return 'plain';
  }
}
