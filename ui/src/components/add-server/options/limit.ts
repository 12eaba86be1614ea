/** Lengths of time as a person types them: `5 min`, `1 h 30 min`, `1.5 s`, `250 ms`; a bare number is seconds. */

const MILLIS_OF: Readonly<Record<string, number>> = { h: 3_600_000, min: 60_000, s: 1000, ms: 1 };

const UNIT = /^(?:(h|hours?)|(m|mins?|minutes?)|(s|secs?|seconds?)|(ms|millis|milliseconds?))$/i;

/** Exactly these milliseconds, in the largest units that are whole: what {@link readLimit} reads back. */
export function limitText(millis: number): string {
  const parts: string[] = [];
  let rest = millis;
  for (const [unit, size] of Object.entries(MILLIS_OF)) {
    const whole = Math.floor(rest / size);
    rest -= whole * size;
    if (whole > 0) parts.push(`${whole} ${unit}`);
  }
  return parts.length === 0 ? '0 s' : parts.join(' ');
}

/** Milliseconds; undefined where the text is no length of time. */
export function readLimit(text: string): number | undefined {
  const words = text.trim().replaceAll(',', '.');
  if (/^\d+(?:\.\d+)?$/.test(words)) return Math.round(Number(words) * 1000);
  let sum = 0;
  let rest = words;
  while (rest !== '') {
    const part = /^(\d+(?:\.\d+)?)\s*([a-z]+)\s*/i.exec(rest);
    const size = unitMillis(part?.[2] ?? '');
    if (part?.[1] === undefined || size === undefined) return undefined;
    sum += Number(part[1]) * size;
    rest = rest.slice(part[0].length);
  }
  return words === '' ? undefined : Math.round(sum);
}

function unitMillis(word: string): number | undefined {
  const match = UNIT.exec(word);
  if (match === null) return undefined;
  const unit = ['h', 'min', 's', 'ms'].find((_, at) => match[at + 1] !== undefined);
  return unit === undefined ? undefined : MILLIS_OF[unit];
}
