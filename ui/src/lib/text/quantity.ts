/** A duration in at most three or four digits: `850 µs`, `12 ms`, `4.21 s`, `1 min 05 s`, `2 h 03 min`. */
export function duration(micros: number): string {
  const value = Math.max(0, Math.round(micros));
  if (value < 1000) return `${value} µs`;
  if (value < 9_950) return `${(value / 1000).toFixed(1)} ms`;
  if (value < 999_500) return `${Math.round(value / 1000)} ms`;
  if (value < 9_995_000) return `${(value / 1e6).toFixed(2)} s`;
  if (value < 59_950_000) return `${(value / 1e6).toFixed(1)} s`;
  const seconds = Math.round(value / 1e6);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** A running clock: steadier than {@link duration}, so that it does not flicker: `0.4 s`, `12 s`, `1 min 05 s`. */
export function runningClock(micros: number): string {
  const value = Math.max(0, micros);
  if (value < 10_000_000) return `${(Math.floor(value / 100_000) / 10).toFixed(1)} s`;
  if (value < 60_000_000) return `${Math.floor(value / 1e6)} s`;
  return duration(Math.floor(value / 1e6) * 1e6);
}

/** `0 B`, `812 B`, `41 KiB`, `1.4 MiB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = -1;
  do {
    value /= 1024;
    unit += 1;
  } while (value >= 1023.5 && unit < units.length - 1);
  const digits = value < 9.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${units[unit] ?? ''}`;
}

/** A whole number with thin groups: `104 230`. */
export function count(value: number): string {
  return Math.trunc(value)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

/** `1 row`, `2 rows`. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** The time of day with milliseconds, local: `14:02:09.120`. */
export function timeOfDay(micros: number): string {
  const date = new Date(micros / 1000);
  // A recording may claim any time; some are beyond what there is.
  if (Number.isNaN(date.getTime())) return '--:--:--.---';
  return `${two(date.getHours())}:${two(date.getMinutes())}:${secondsOf(micros)}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A moment to find a session by, local: `14:02` of today, `29 Nov 14:02`, `29 Nov 2025`. */
export function moment(micros: number, now = new Date()): string {
  const date = new Date(micros / 1000);
  if (Number.isNaN(date.getTime())) return '--:--';
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (date.toDateString() === now.toDateString()) return clock;
  const day = `${date.getDate()} ${MONTHS[date.getMonth()] ?? ''}`;
  return date.getFullYear() === now.getFullYear() ? `${day} ${clock}` : `${day} ${date.getFullYear()}`;
}

/** The seconds of the minute with milliseconds, for a row below its operation: `11.382`. */
export function secondsOf(micros: number): string {
  const date = new Date(micros / 1000);
  if (Number.isNaN(date.getTime())) return '--.---';
  return `${two(date.getSeconds())}.${date.getMilliseconds().toString().padStart(3, '0')}`;
}

function two(value: number): string {
  return value.toString().padStart(2, '0');
}
