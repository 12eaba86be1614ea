/** A whole number from 0 to `most`, as typed; undefined for anything else. */
export function readWhole(text: string, most: number): number | undefined {
  const digits = text.trim();
  if (!/^\d{1,9}$/.test(digits)) return undefined;
  const value = Number(digits);
  return value <= most ? value : undefined;
}
