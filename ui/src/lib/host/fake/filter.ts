import type { FilterReading } from '$lib/bindings/FilterReading';
import type { FilterSuggestion } from '$lib/bindings/FilterSuggestion';
import type { Row } from '$lib/bindings/Row';

/** What the fake's filter line sees of a row. */
export interface Filtered {
  readonly row: Row;
  readonly children: readonly Row[];
  /** Everything that was recorded in it. */
  readonly text: string;
}

interface Term {
  readonly denies: boolean;
  readonly field: string | null;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const FIELDS: Readonly<Record<string, string>> = {
  method: 'the method',
  name: 'the tool, prompt or resource',
  server: "the server's name",
  status: 'how it stands or ended',
  has: 'what lies in it',
  duration: 'how long it took',
  text: 'anywhere in what was recorded',
  kind: 'what the row is',
};

const STATUSES: Readonly<Record<string, string>> = {
  running: 'has not ended',
  waiting: 'waits for you or for time',
  complete: 'ended well',
  error: 'ended badly',
  cancelled: 'you cancelled it',
  note: 'neither good nor bad',
};

const HAS: Readonly<Record<string, string>> = {
  retry: 'a round was sent again',
  prompt: 'the server asked something',
  finding: 'a breach of the specification, or a risk',
};

/** A part of the core's grammar: words, quotes, fields and a minus; enough to try the window with. */
function terms(line: string): Term[] {
  const all: Term[] = [];
  for (const match of line.matchAll(/(-?)(?:([a-z-]+):(?!\/\/))?("[^"]*"?|\S*)/gi)) {
    if (match[0] === '') continue;
    all.push({
      denies: match[1] === '-',
      field: match[2]?.toLowerCase() ?? null,
      value: (match[3] ?? '').replaceAll('"', ''),
      start: match.index,
      end: match.index + match[0].length,
    });
  }
  return all;
}

export function fits(line: string, filtered: Filtered): boolean {
  return terms(line).every((term) => holds(term, filtered) !== term.denies);
}

function holds({ field, value }: Term, { row, children, text }: Filtered): boolean {
  const has = (name: string | null): boolean => (name ?? '').toLowerCase().includes(value.toLowerCase());
  switch (field) {
    case 'method':
      return has(row.label);
    case 'name':
      return has(row.detail);
    case 'server':
      return has(row.server_name);
    case 'status':
      return row.state === value || (value === 'waiting' && row.state.startsWith('waiting'));
    case 'kind':
      return row.kind === value;
    case 'has':
      if (value === 'retry') return children.some((child) => child.kind === 'attempt');
      if (value === 'finding') return row.finding_count > 0;
      return children.some((child) => child.kind === value);
    case 'duration':
      return row.end_micros !== null && row.end_micros - row.start_micros > limitOf(value);
    default:
      return has(text);
  }
}

function limitOf(value: string): number {
  const match = /^>(\d+)(ms|s)$/.exec(value);
  return match === null ? 0 : Number(match[1]) * (match[2] === 's' ? 1_000_000 : 1000);
}

/** Reads a line and suggests how it may go on; `known` are the names in the journal. */
export function readFilter(
  line: string,
  cursor: number,
  known: Readonly<Record<string, readonly string[]>>,
): FilterReading {
  const all = terms(line);
  const wrong = all.find(({ field }) => field !== null && !(field in FIELDS));
  const empty = all.find(({ field, value }) => field !== null && value === '');
  const problem =
    wrong !== undefined
      ? {
          start: wrong.start,
          end: wrong.start + (wrong.field ?? '').length,
          message: `There is no field “${wrong.field ?? ''}”.`,
          hint: 'Press Ctrl+Space for the fields, or put it in quotes to find it as text.',
        }
      : empty !== undefined
        ? {
            start: empty.end,
            end: empty.end,
            message: `“${empty.field ?? ''}:” has no value.`,
            hint: `Add one, for example status:error.`,
          }
        : null;
  const start = Math.max(line.lastIndexOf(' ', cursor - 1) + 1, 0);
  const typed = line.slice(start, cursor);
  const colon = typed.indexOf(':');
  const end = cursor + (/^\S*/.exec(line.slice(cursor))?.[0].length ?? 0);
  return {
    problem,
    suggestions: colon < 0 ? fields(typed) : values(typed.slice(0, colon), typed.slice(colon + 1), known),
    start: colon < 0 ? start : start + colon + 1,
    end,
    texts:
      problem === null
        ? all
            .filter(({ field, value }) => (field === null || field === 'text') && value !== '')
            .map(({ value }) => ({ text: value, ignores_case: value === value.toLowerCase() }))
        : [],
  };
}

function fields(typed: string): FilterSuggestion[] {
  return Object.entries(FIELDS)
    .filter(([field]) => field.startsWith(typed.replace(/^-/, '')))
    .map(([field, says]) => ({ insert: `${field}:`, says, goes_on: true }));
}

function values(
  field: string,
  typed: string,
  known: Readonly<Record<string, readonly string[]>>,
): FilterSuggestion[] {
  const words = field === 'status' ? STATUSES : field === 'has' ? HAS : undefined;
  const all =
    words !== undefined
      ? Object.entries(words)
      : (known[field] ?? []).map((name): [string, string] => [name, '']);
  return all
    .filter(([word]) => word.toLowerCase().includes(typed.toLowerCase()))
    .map(([insert, says]) => ({
      insert: insert.includes(' ') ? `"${insert}"` : insert,
      says,
      goes_on: false,
    }));
}
