/**
 * What programs write for a terminal, made into plain texts with a look each. No code of it is ever drawn: colours
 * become the window's own, so that they can be read in both themes, and everything else (cursor moves, titles,
 * links) is left out. Text that a terminal would conceal is shown.
 */

/** A colour of the window's palette. */
export type Ink = 'error' | 'ok' | 'user' | 'server' | 'time' | 'muted';

export interface StyledText {
  readonly text: string;
  readonly ink: Ink | undefined;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly underlined: boolean;
}

type Look = Omit<StyledText, 'text'>;

const PLAIN: Look = { ink: undefined, bold: false, italic: false, underlined: false };

// CSI; the strings OSC, DCS, SOS, PM and APC with their ends; character sets; the rest of two characters. A sequence
// that was cut off goes as far as it came. Each also begins with its one-character form of C1.
const ESCAPE =
  // eslint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)([0-?]*)[ -/]*([@-~]?)|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c|$)?|\u001b[ -/]+[0-~]?|\u001b[0-~]?/g;

/** The texts in order; a look that is set holds on over the end of a line, until it is changed. */
export function styledTexts(text: string): StyledText[] {
  const found: StyledText[] = [];
  let look = PLAIN;
  let from = 0;
  const push = (to: number): void => {
    if (to > from) found.push({ ...look, text: text.slice(from, to) });
  };
  for (const match of text.matchAll(ESCAPE)) {
    push(match.index);
    from = match.index + match[0].length;
    if (match[2] === 'm') look = changed(look, match[1] ?? '');
  }
  push(text.length);
  return found;
}

/** The same by lines, which `\n` ends. */
export function styledLines(text: string): StyledText[][] {
  const lines: StyledText[][] = [[]];
  for (const styled of styledTexts(text)) {
    styled.text.split('\n').forEach((part, at) => {
      if (at > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push({ ...styled, text: part });
    });
  }
  return lines;
}

/** The text without its codes. */
export function withoutCodes(text: string): string {
  return text.replace(ESCAPE, '');
}

const HUES: readonly (Ink | undefined)[] = [
  // Black and white are the page's own two.
  undefined,
  'error',
  'ok',
  'user',
  'server',
  'time',
  'server',
  undefined,
];

/** Select Graphic Rendition (ECMA-48 § 8.3.117), with the colours of xterm. */
function changed(before: Look, parameters: string): Look {
  let look = before;
  const codes = parameters.split(/[;:]/).map((part) => (part === '' ? 0 : Number(part)));
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) look = PLAIN;
    else if (code === 1) look = { ...look, bold: true };
    else if (code === 2) look = { ...look, ink: look.ink ?? 'muted' };
    else if (code === 3) look = { ...look, italic: true };
    else if (code === 4) look = { ...look, underlined: true };
    else if (code === 22) look = { ...look, bold: false, ink: look.ink === 'muted' ? undefined : look.ink };
    else if (code === 23) look = { ...look, italic: false };
    else if (code === 24) look = { ...look, underlined: false };
    else if (code >= 30 && code <= 37) look = { ...look, ink: HUES[code - 30] };
    else if (code === 38 || code === 48) {
      const [ink, taken] = longColour(codes, at + 1);
      at += taken;
      look = { ...look, ink: ink ?? (code === 38 ? undefined : look.ink) };
    } else if (code === 39) look = { ...look, ink: undefined };
    // A coloured ground is told by the colour of its letters: on the window's own grounds alone they can be read.
    else if (code >= 40 && code <= 47) look = { ...look, ink: HUES[code - 40] ?? look.ink };
    else if (code === 90) look = { ...look, ink: 'muted' };
    else if (code >= 91 && code <= 97) look = { ...look, ink: HUES[code - 90] };
    else if (code >= 101 && code <= 107) look = { ...look, ink: HUES[code - 100] ?? look.ink };
  }
  return look;
}

/** `5;n` or `2;r;g;b`: the hue that comes nearest, and how many numbers it takes. */
function longColour(codes: readonly number[], at: number): [Ink | undefined, number] {
  if (codes[at] === 5) return [hueOfIndex(codes[at + 1] ?? 0), 2];
  if (codes[at] === 2) {
    const [red = 0, green = 0, blue = 0] = codes.slice(at + 1, at + 4);
    return [hueOf(red, green, blue), 4];
  }
  return [undefined, 0];
}

function hueOfIndex(index: number): Ink | undefined {
  if (index === 8) return 'muted';
  if (index < 16) return HUES[index % 8];
  if (index >= 232) return index < 250 ? 'muted' : undefined;
  const cube = index - 16;
  const level = (step: number): number => (step === 0 ? 0 : 55 + 40 * step);
  return hueOf(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

function hueOf(red: number, green: number, blue: number): Ink | undefined {
  const most = Math.max(red, green, blue);
  const spread = most - Math.min(red, green, blue);
  if (spread < 40) return most > 70 && most < 190 ? 'muted' : undefined;
  const sixth =
    most === red
      ? (green - blue) / spread
      : most === green
        ? 2 + (blue - red) / spread
        : 4 + (red - green) / spread;
  const hues: readonly Ink[] = ['error', 'user', 'ok', 'server', 'server', 'time'];
  return hues[(Math.round(sixth) + 6) % 6];
}
