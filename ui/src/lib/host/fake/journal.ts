import type { BodyText } from '$lib/bindings/BodyText';
import type { BodyForm } from '$lib/bindings/BodyForm';
import type { Carrier } from '$lib/bindings/Carrier';
import type { Direction } from '$lib/bindings/Direction';
import type { EventLine } from '$lib/bindings/EventLine';
import type { Exchange } from '$lib/bindings/Exchange';
import type { Filter } from '$lib/bindings/Filter';
import type { Finding } from '$lib/bindings/Finding';
import type { Row } from '$lib/bindings/Row';
import type { Span } from '$lib/bindings/Span';
import type { SummaryLine } from '$lib/bindings/SummaryLine';
import type { TimelineLook } from '$lib/bindings/TimelineLook';
import { fits } from './filter';

export interface FakeEvent {
  readonly line: EventLine;
  readonly body: string;
}

export interface FakeOperation {
  readonly id: number;
  readonly server: string;
  row: Row;
  children: Row[];
  events: number[];
  exchanges: Exchange[];
  summary: SummaryLine[];
  findings: Finding[];
  /** Of a branch: where it is from; of an original: its branches. */
  origin?: FakeBranch;
  branches?: FakeBranch[];
}

export interface FakeBranch {
  /** The operation at the other end. */
  readonly of: number;
  readonly round: number;
  readonly words: string;
}

export interface FakeLoose {
  readonly server: string;
  readonly row: Row;
}

type Top = FakeOperation | FakeLoose;

const isOperation = (top: Top): top is FakeOperation => 'id' in top;

const encoder = new TextEncoder();

export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

export function nowMicros(): number {
  return Math.round((performance.timeOrigin + performance.now()) * 1000);
}

/** A journal in memory, flattened anew whenever something changed: simple, and fast enough for 100 000 rows. */
export class FakeJournal {
  readonly top: Top[] = [];
  readonly events: FakeEvent[] = [];
  readonly operations: FakeOperation[] = [];
  byteLen = 0;
  /** Counts up at each change of any row. */
  version = 0;

  #flat: Row[] = [];
  #flatOf = '';

  event(
    operation: FakeOperation | null,
    kind: string,
    body: string,
    options: { at?: number; direction?: Direction; carrier?: Carrier } = {},
  ): number {
    const seq = this.events.length;
    const length = byteLength(body);
    this.byteLen += length;
    this.events.push({
      body,
      line: {
        event: seq,
        at_micros: options.at ?? nowMicros(),
        kind,
        direction: options.direction ?? null,
        carrier: options.carrier ?? null,
        text: stripSse(body).slice(0, 300),
        byte_len: length,
      },
    });
    operation?.events.push(seq);
    return seq;
  }

  start(
    server: string,
    serverName: string,
    label: string,
    detail: string | null,
    at = nowMicros(),
  ): FakeOperation {
    const id = this.operations.length;
    const operation: FakeOperation = {
      id,
      server,
      row: {
        key: `o${id}`,
        kind: 'operation',
        depth: 0,
        operation: id,
        event: null,
        server_name: serverName,
        label,
        detail,
        chips: [],
        state: 'running',
        state_text: 'running',
        start_micros: at,
        end_micros: null,
        spans: [{ kind: 'server', start_micros: at, end_micros: null }],
        child_count: 0,
        expanded: false,
        finding_count: 0,
      },
      children: [],
      events: [],
      exchanges: [],
      summary: [{ label: 'Operation', value: detail === null ? label : `${label} ${detail}` }],
      findings: [],
    };
    this.operations.push(operation);
    this.top.push(operation);
    this.version += 1;
    return operation;
  }

  change(operation: FakeOperation, change: Partial<Row>): void {
    operation.row = { ...operation.row, ...change };
    this.version += 1;
  }

  child(operation: FakeOperation, row: Partial<Row> & Pick<Row, 'label' | 'state' | 'state_text'>): number {
    const at = row.start_micros ?? nowMicros();
    const index = operation.children.length;
    operation.children.push({
      key: `o${operation.id}/${index}`,
      kind: 'round',
      depth: 1,
      operation: operation.id,
      event: null,
      server_name: operation.row.server_name,
      detail: null,
      chips: [],
      start_micros: at,
      end_micros: null,
      spans: [],
      child_count: 0,
      expanded: false,
      finding_count: 0,
      ...row,
    });
    this.change(operation, { child_count: operation.children.length });
    return index;
  }

  changeChild(operation: FakeOperation, index: number, change: Partial<Row>): void {
    const row = operation.children[index];
    if (row === undefined) return;
    operation.children[index] = { ...row, ...change };
    this.version += 1;
  }

  /** Ends the open bar and begins the next one, or none. */
  turn(operation: FakeOperation, next: Span['kind'] | null, at = nowMicros()): void {
    const spans = operation.row.spans.map((span) =>
      span.end_micros === null ? { ...span, end_micros: at } : span,
    );
    if (next !== null) spans.push({ kind: next, start_micros: at, end_micros: null });
    this.change(operation, { spans });
  }

  loose(
    server: string,
    row: Partial<Row> & Pick<Row, 'kind' | 'label' | 'state_text' | 'server_name'>,
  ): void {
    const at = row.start_micros ?? nowMicros();
    this.top.push({
      server,
      row: {
        key: `e${row.event ?? this.top.length}`,
        depth: 0,
        operation: null,
        event: null,
        detail: null,
        chips: [],
        state: 'note',
        start_micros: at,
        end_micros: at,
        spans: [],
        child_count: 0,
        expanded: false,
        finding_count: 0,
        ...row,
      },
    });
    this.version += 1;
  }

  rows(filter: Filter, server: string | null, line = ''): Row[] {
    const of = JSON.stringify([this.version, filter, server, line]);
    if (of === this.#flatOf) return this.#flat;
    const flat: Row[] = [];
    for (const top of this.top) {
      if (server !== null && top.server !== server) continue;
      if (!passes(top, filter) || !this.#fits(top, line)) continue;
      flat.push(top.row);
      if (isOperation(top) && top.row.expanded) for (const child of top.children) flat.push(child);
    }
    this.#flat = flat;
    this.#flatOf = of;
    return flat;
  }

  window(look: TimelineLook): { total: number; start: number; rows: Row[] } {
    const rows = this.rows(look.filter, look.server, look.line);
    const len = Math.min(400, look.len);
    const start = look.follow ? Math.max(0, rows.length - len) : Math.min(look.start, rows.length);
    return { total: rows.length, start, rows: rows.slice(start, start + len) };
  }

  topCount(filter: Filter, server: string | null, line = ''): number {
    return this.rows(filter, server, line).filter((row) => row.depth === 0).length;
  }

  #fits(top: Top, line: string): boolean {
    if (line === '') return true;
    const events = isOperation(top) ? top.events : top.row.event === null ? [] : [top.row.event];
    const recorded = events.map((event) => this.events[event]?.body ?? '');
    return fits(line, {
      row: top.row,
      children: isOperation(top) ? top.children : [],
      text: [top.row.label, top.row.detail ?? '', ...recorded].join('\n'),
    });
  }

  /** The names that a filter line may mean. */
  names(): Record<string, string[]> {
    const of = (pick: (row: Row) => string | null): string[] => [
      ...new Set(this.top.flatMap((top) => pick(top.row) ?? [])),
    ];
    return {
      method: of((row) => (row.kind === 'operation' ? row.label : null)),
      name: of((row) => (row.kind === 'operation' ? row.detail : null)),
      server: of((row) => row.server_name),
    };
  }

  errorCount(): number {
    let count = 0;
    for (const top of this.top) if (top.row.state === 'error') count += 1;
    return count;
  }

  /** The message in an event. */
  message(event: number): string {
    return stripSse(this.events[event]?.body ?? '');
  }

  body(event: number, form: BodyForm, limit: number): BodyText {
    const stored = this.events[event];
    const body = stored?.body ?? '';
    const total = byteLength(body);
    const most = limit === 0 ? 1024 * 1024 : limit;
    const cut = total > most ? body.slice(0, most) : body;
    let pretty: string | undefined;
    try {
      pretty = JSON.stringify(JSON.parse(stripSse(cut)), null, 2);
    } catch {
      pretty = undefined;
    }
    const text = form === 'hex' ? hex(cut) : form === 'pretty' && pretty !== undefined ? pretty : cut;
    return {
      text,
      is_json: pretty !== undefined,
      is_utf8: true,
      byte_len: total,
      shown_byte_len: Math.min(total, most),
    };
  }
}

function passes(top: Top, filter: Filter): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'calls':
      return /^(tools\/call|prompts\/get|resources\/read)$/.test(top.row.label);
    case 'prompts':
      return isOperation(top) && top.children.some((child) => child.kind === 'prompt');
    case 'tasks':
      return isOperation(top) && top.row.chips.some((chip) => /poll|task/.test(chip));
    case 'errors':
      return top.row.state === 'error' || top.row.finding_count > 0 || top.row.kind === 'noise';
  }
}

function stripSse(body: string): string {
  if (!/^(event|data|id):/.test(body)) return body;
  return body
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trimStart())
    .join('\n');
}

function hex(body: string): string {
  const bytes = encoder.encode(body);
  const lines: string[] = [];
  for (let offset = 0; offset < bytes.length; offset += 16) {
    const part = [...bytes.subarray(offset, offset + 16)];
    const digits = part.map((byte) => byte.toString(16).padStart(2, '0'));
    const columns = `${digits.slice(0, 8).join(' ').padEnd(23)}  ${digits.slice(8).join(' ').padEnd(23)}`;
    const text = part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${offset.toString(16).padStart(8, '0')}  ${columns}  |${text}|`);
  }
  return lines.join('\n');
}
