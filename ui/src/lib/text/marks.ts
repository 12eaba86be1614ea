import type { SearchedText } from '$lib/bindings/SearchedText';

/** A part of a text that is to be marked: from and to, as offsets. */
export type Mark = readonly [from: number, to: number];

/** Says which parts of a text are to be marked, in order. */
export type Marker = (text: string) => readonly Mark[];

/** At most so many marks in one text: what is full of them says nothing more with others. */
const MOST_MARKS = 1000;

/** Marks the texts that a filter line searches for, also where JSON has escaped them. */
export function markerOf(texts: readonly SearchedText[]): Marker | undefined {
  const patterns = texts
    .filter(({ text }) => text !== '')
    .map(({ text, ignores_case }) => new RegExp(patternOf(text), ignores_case ? 'giu' : 'gu'));
  if (patterns.length === 0) return undefined;
  return (text) => {
    const marks: Mark[] = [];
    for (const pattern of patterns) {
      for (const match of text.matchAll(pattern)) {
        if (match[0] === '') continue;
        marks.push([match.index, match.index + match[0].length]);
        if (marks.length >= MOST_MARKS) break;
      }
    }
    return joined(marks);
  };
}

/** Marks that touch or overlap become one. */
function joined(marks: Mark[]): Mark[] {
  marks.sort((left, right) => left[0] - right[0]);
  const all: [number, number][] = [];
  for (const [from, to] of marks) {
    const last = all.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else all.push([from, to]);
  }
  return all;
}

/** What the core looks for, as far as it can stand on one line: see its own pattern of a text. */
function patternOf(text: string): string {
  let pattern = '';
  const chars = Array.from(text.normalize('NFC'));
  for (let at = 0; at < chars.length; at += 1) {
    const next = chars[at] ?? '';
    if (next === ':' && chars[at + 1] === ' ') {
      pattern += ':\\s*';
      at += 1;
    } else if (next === '"') pattern += '\\\\?"';
    else if (next === '/') pattern += '\\\\?\\/';
    else if (next === '\\') pattern += '\\\\{1,2}';
    else if (next.charCodeAt(0) < 0x80) pattern += literal(next);
    else pattern += `(?:${literal(next)}|${escaped(next)}|${escaped(next.toUpperCase())}|${parts(next)})`;
  }
  return pattern;
}

function literal(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}/]/g, '\\$&');
}

/** `\u00e9`, with digits of either case. */
function escaped(text: string): string {
  let pattern = '';
  for (let at = 0; at < text.length; at += 1) {
    const digits = text.charCodeAt(at).toString(16).padStart(4, '0');
    pattern += `\\\\u${digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)}`;
  }
  return pattern;
}

/** A letter and its accent, one after the other. */
function parts(text: string): string {
  return Array.from(text.normalize('NFD'))
    .map((part) => (part.charCodeAt(0) < 0x80 ? literal(part) : `(?:${literal(part)}|${escaped(part)})`))
    .join('');
}
