/**
 * What outlives a reload of the page: the chosen tools, what was filled in, and which operations the calls are. The
 * core has everything else. It is kept by the page's session, so it ends with the window.
 */

/** What is left of one server's tools. Plain data. */
export interface LeftTools {
  readonly chosen: string | null;
  /** Forms as they were left, without secrets, by the tool's key. */
  readonly forms: readonly (readonly [key: string, kept: object])[];
  readonly calls: readonly LeftCall[];
}

export interface LeftCall {
  /** The tool's key. */
  readonly key: string;
  readonly operation: number;
  readonly startedMicros: number;
}

const NAME = 'roundtrip.left';
/** A form that is larger is not kept: the session has some megabytes for all of them. */
const LARGEST_FORM = 200_000;

/** Keeps this for the page that comes next. */
export function leave(left: ReadonlyMap<string, LeftTools>): void {
  const small = [...left].map(([server, tools]): [string, LeftTools] => [
    server,
    { ...tools, forms: tools.forms.filter(([, kept]) => JSON.stringify(kept).length <= LARGEST_FORM) },
  ]);
  try {
    sessionStorage.setItem(NAME, JSON.stringify(small));
  } catch {
    // No room, or no storage: the page then begins empty.
    forget();
  }
}

/** What the page before left; empty when there was none. */
export function taken(): Map<string, LeftTools> {
  try {
    const read: unknown = JSON.parse(sessionStorage.getItem(NAME) ?? '[]');
    return new Map(Array.isArray(read) ? read.filter(isLeft) : []);
  } catch {
    return new Map();
  }
}

function isLeft(entry: unknown): entry is [string, LeftTools] {
  if (!Array.isArray(entry) || typeof entry[0] !== 'string') return false;
  const tools = entry[1] as Partial<LeftTools> | null | undefined;
  return Array.isArray(tools?.forms) && Array.isArray(tools.calls);
}

function forget(): void {
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // There is no storage at all.
  }
}
