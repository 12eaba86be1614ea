/** A text broken into lines of a fixed width, found by number without drawing the rest. */
export interface WrappedText {
  /** Drawn lines. */
  readonly count: number;
  /** The drawn line's logical line (from 0), its text, and whether it goes on from the drawn line above. */
  line(index: number): {
    readonly logical: number;
    readonly from: number;
    readonly to: number;
    readonly continued: boolean;
  };
  /** A logical line. */
  logical(index: number): string;
}

/** Breaks `text` at newlines, and longer lines every `columns` characters, never within a surrogate pair. */
export function wrap(text: string, columns: number): WrappedText {
  const lines = text.split('\n');
  const width = Math.max(20, Math.floor(columns));
  // first[i]: the number of the first drawn line of logical line i.
  const first = new Uint32Array(lines.length + 1);
  lines.forEach((line, index) => {
    first[index + 1] = (first[index] ?? 0) + Math.max(1, Math.ceil(line.length / width));
  });
  const edge = (line: string, at: number): number => {
    const code = line.charCodeAt(at);
    return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
  };
  return {
    count: first[lines.length] ?? 0,
    line(index) {
      let low = 0;
      let high = lines.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((first[middle] ?? 0) <= index) low = middle;
        else high = middle - 1;
      }
      const line = lines[low] ?? '';
      const part = index - (first[low] ?? 0);
      return {
        logical: low,
        from: edge(line, part * width),
        to: Math.min(line.length, edge(line, (part + 1) * width)),
        continued: part > 0,
      };
    },
    logical: (index) => lines[index] ?? '',
  };
}
