/** Values that a person often wants and seldom likes to type. */

export interface Suggestion {
  readonly label: string;
  /** On the button. */
  readonly short: string;
  make(): string;
}

/** A suggestion for a text format, where there is a natural one. */
export function nowAs(format: string | undefined): Suggestion | undefined {
  switch (format) {
    case 'date':
      return { label: 'Today', short: 'today', make: () => localDate(new Date()) };
    case 'date-time':
      return { label: 'Now', short: 'now', make: () => new Date().toISOString() };
    case 'time':
      return { label: 'Now', short: 'now', make: () => new Date().toISOString().slice(11) };
    case 'uuid':
      return { label: 'A new UUID', short: 'new', make: () => crypto.randomUUID() };
    case undefined:
    default:
      return undefined;
  }
}

function localDate(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
