/** A line of two texts beside each other. */
export type DiffLine =
  | { readonly kind: 'same'; readonly left: string; readonly right: string }
  | { readonly kind: 'changed'; readonly left: string | undefined; readonly right: string | undefined };

/** Beyond so many changes nobody reads a comparison line by line. */
const MOST_CHANGES = 2000;

/**
 * Two texts line by line (Myers, "An O(ND) Difference Algorithm and Its Variations"). Lines that were replaced stand
 * beside each other. Texts that share almost nothing are one block of change.
 */
export function diffLines(left: string, right: string): DiffLine[] {
  const a = left.split('\n');
  const b = right.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end += 1;
  const middle = changes(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const same = (text: string): DiffLine => ({ kind: 'same', left: text, right: text });
  return [...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)];
}

/** How many lines differ. */
export function changeCount(lines: readonly DiffLine[]): number {
  return lines.filter(({ kind }) => kind === 'changed').length;
}

function changes(a: readonly string[], b: readonly string[]): DiffLine[] {
  const kept = longestCommon(a, b);
  const lines: DiffLine[] = [];
  let [x, y] = [0, 0];
  const upTo = (toX: number, toY: number): void => {
    while (x < toX || y < toY) {
      const [from, to] = [x < toX ? a[x] : undefined, y < toY ? b[y] : undefined];
      lines.push({ kind: 'changed', left: from, right: to });
      if (x < toX) x += 1;
      if (y < toY) y += 1;
    }
  };
  for (const [atX, atY] of kept) {
    upTo(atX, atY);
    const text = a[atX] ?? '';
    lines.push({ kind: 'same', left: text, right: text });
    x = atX + 1;
    y = atY + 1;
  }
  upTo(a.length, b.length);
  return lines;
}

/** The places of the lines that both have, in order. */
function longestCommon(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] {
  const most = Math.min(a.length + b.length, MOST_CHANGES);
  // The furthest x on each diagonal, from -changed to changed, for each number of changes.
  const trace: Int32Array[] = [];
  for (let changed = 0; changed <= most; changed += 1) {
    const before = trace[changed - 1];
    const furthest = new Int32Array(2 * changed + 1);
    trace.push(furthest);
    for (let diagonal = -changed; diagonal <= changed; diagonal += 2) {
      let x = changed === 0 ? 0 : step(before, changed, diagonal).x;
      let y = x - diagonal;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x += 1;
        y += 1;
      }
      furthest[diagonal + changed] = x;
      if (x >= a.length && y >= b.length) return backtrack(trace, a.length, b.length);
    }
  }
  return [];
}

/** By which diagonal of one change fewer this one is reached, and where on it one arrives. */
function step(
  before: Int32Array | undefined,
  changed: number,
  diagonal: number,
): { from: number; x: number } {
  const at = (of: number): number => before?.[of + changed - 1] ?? -1;
  const isDown = diagonal === -changed || (diagonal !== changed && at(diagonal - 1) < at(diagonal + 1));
  return isDown
    ? { from: diagonal + 1, x: at(diagonal + 1) }
    : { from: diagonal - 1, x: at(diagonal - 1) + 1 };
}

function backtrack(
  trace: readonly Int32Array[],
  fromX: number,
  fromY: number,
): readonly (readonly [number, number])[] {
  const pairs: [number, number][] = [];
  let [x, y] = [fromX, fromY];
  for (let changed = trace.length - 1; changed >= 0; changed -= 1) {
    const diagonal = x - y;
    const came = changed === 0 ? { from: 0, x: 0 } : step(trace[changed - 1], changed, diagonal);
    // Back along the lines that both have, to where the change brought us.
    while (x > came.x) {
      x -= 1;
      y -= 1;
      pairs.push([x, y]);
    }
    if (changed === 0) break;
    x = came.from > diagonal ? came.x : came.x - 1;
    y = x - came.from;
  }
  return pairs.reverse();
}
