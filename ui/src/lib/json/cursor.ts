/** Where a cursor stands in JSON that is being written: it need be neither whole nor right. */

export interface Cursor {
  /** The names and numbers that lead to the value or the object that it stands in. */
  readonly path: readonly (string | number)[];
  /** It stands where a member's name is, or where a value is. */
  readonly at: 'name' | 'value';
  /** What is written of that name or value, from `from` to `to` in the text; a quote is part of it. */
  readonly from: number;
  readonly to: number;
  readonly typed: string;
  /** The names that the object has already, without the one that is written. */
  readonly names: readonly string[];
}

type Frame = { kind: 'object'; names: string[]; name: string | undefined } | { kind: 'array'; index: number };

const WORD = /[^\s,:[\]{}"]/;

/** Finds where the cursor stands; undefined where nothing can be suggested, as after a value. */
export function cursorAt(text: string, offset: number): Cursor | undefined {
  const frames: Frame[] = [];
  let isAfterValue = false;
  let at = 0;
  const place = (from: number, to: number, isName: boolean): Cursor => {
    const path = frames.flatMap((frame, depth): (string | number)[] => {
      const isLast = depth === frames.length - 1;
      if (frame.kind === 'array') return [frame.index];
      return frame.name === undefined || (isLast && isName) ? [] : [frame.name];
    });
    const frame = frames.at(-1);
    const typed = text.slice(from, offset).replace(/^"/, '');
    const own = unquoted(text.slice(from, to));
    const written = frame?.kind === 'object' ? [...frame.names, ...namesAfter(text, to)] : [];
    return {
      path,
      at: isName ? 'name' : 'value',
      from,
      to,
      typed,
      names: written.filter((name) => name !== own),
    };
  };
  const expectsName = (): boolean => {
    const frame = frames.at(-1);
    return frame?.kind === 'object' && frame.name === undefined;
  };

  while (at < offset) {
    const character = text[at] ?? '';
    if (/\s/.test(character)) {
      at += 1;
    } else if (character === '"' || WORD.test(character)) {
      const end = character === '"' ? endOfString(text, at) : endOfWord(text, at);
      const isOpen = character === '"' && (end > text.length || text[end - 1] !== '"' || end - 1 === at);
      if (offset < end || (offset === end && (isOpen || character !== '"'))) {
        return isAfterValue
          ? undefined
          : place(at, Math.min(isOpen ? lineEnd(text, at) : end, text.length), expectsName());
      }
      const frame = frames.at(-1);
      if (frame?.kind === 'object' && frame.name === undefined) {
        frame.name = unquoted(text.slice(at, end));
        frame.names.push(frame.name);
      } else isAfterValue = true;
      at = end;
    } else {
      if (character === '{') frames.push({ kind: 'object', names: [], name: undefined });
      else if (character === '[') frames.push({ kind: 'array', index: 0 });
      else if (character === '}' || character === ']') {
        frames.pop();
        isAfterValue = true;
        at += 1;
        continue;
      } else if (character === ',') {
        const frame = frames.at(-1);
        if (frame?.kind === 'array') frame.index += 1;
        else if (frame !== undefined) frame.name = undefined;
      }
      isAfterValue = false;
      at += 1;
    }
  }
  const frame = frames.at(-1);
  if (isAfterValue || frame === undefined) return undefined;
  // Between a name and its colon there is nothing to suggest.
  if (frame.kind === 'object' && frame.name !== undefined && !/:\s*$/.test(text.slice(0, offset)))
    return undefined;
  return place(offset, offset, expectsName());
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
    else if (text[at] === '\n') return at;
  }
  return text.length;
}

function endOfWord(text: string, start: number): number {
  let at = start;
  while (at < text.length && WORD.test(text[at] ?? '')) at += 1;
  return at;
}

/** Where what is written of an open string ends: at the end of its line, or before what closes the object. */
function lineEnd(text: string, start: number): number {
  const end = text.slice(start + 1).search(/[,}\]\n]/);
  return end < 0 ? text.length : start + 1 + end;
}

function unquoted(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token.replace(/^"|"$/g, '');
  }
}

/** The names that follow in the same object. */
function namesAfter(text: string, from: number): string[] {
  const names: string[] = [];
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '"') {
      const end = endOfString(text, at);
      if (depth === 0 && /^\s*:/.test(text.slice(end))) names.push(unquoted(text.slice(at, end)));
      at = end - 1;
    } else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth < 0) break;
    }
  }
  return names;
}
