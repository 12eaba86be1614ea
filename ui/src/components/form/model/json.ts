/**
 * JSON read as it is written. Numbers keep their digits, objects keep the order and the repetition of their
 * names (a JavaScript object moves `"2"` before `"b"` and drops a second `"a"`), and every node knows where it
 * stands in the text, so that an error can name its line. Nothing here builds a JavaScript value.
 */

export type JsonNode =
  | { readonly kind: 'null'; readonly start: number }
  | { readonly kind: 'boolean'; readonly value: boolean; readonly start: number }
  | { readonly kind: 'number'; readonly digits: string; readonly start: number }
  /** `token` is the string with its quotes and escapes as written. */
  | { readonly kind: 'string'; readonly value: string; readonly token: string; readonly start: number }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[]; readonly start: number }
  | JsonObject;

export interface JsonObject {
  readonly kind: 'object';
  readonly members: readonly JsonMember[];
  readonly start: number;
}

export interface JsonMember {
  readonly key: string;
  /** The name with its quotes and escapes as written. */
  readonly keyToken: string;
  readonly value: JsonNode;
}

/** A place in a text: line and column count from 1, the column in characters. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export interface JsonProblem extends TextPlace {
  /** What is wrong, in plain words, without the place. */
  readonly message: string;
  readonly offset: number;
}

export type JsonReading =
  { readonly ok: true; readonly node: JsonNode } | { readonly ok: false; readonly problem: JsonProblem };

/** Deeper nesting is refused with a message, before the call stack is in danger. */
const DEEPEST = 500;

export const NUMBER_TOKEN = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Reads one JSON text (RFC 8259). */
export function readJson(text: string): JsonReading {
  const reader = new Reader(text);
  try {
    return { ok: true, node: reader.document() };
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    const place = placeAt(text, thrown.offset);
    return { ok: false, problem: { message: thrown.message, offset: thrown.offset, ...place } };
  }
}

/** `line 3, column 7: This text is not closed.` */
export function describeProblem(problem: JsonProblem): string {
  return `Line ${problem.line}, column ${problem.column}: ${problem.message}`;
}

/** Where an offset (in UTF-16 units) stands. */
export function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset);
  const lines = before.split(/\r\n|\r|\n/);
  const last = lines.at(-1) ?? '';
  return { line: lines.length, column: Array.from(last).length + 1 };
}

class Unreadable extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  document(): JsonNode {
    if (this.text.charCodeAt(0) === 0xfeff) this.at = 1;
    this.skipSpace();
    if (this.at >= this.text.length) throw this.fault('There is no JSON here yet.');
    const node = this.value(0);
    this.skipSpace();
    if (this.at < this.text.length) {
      throw this.fault(`The JSON ends before ${this.seen()}; only white space may follow.`);
    }
    return node;
  }

  private value(depth: number): JsonNode {
    if (depth > DEEPEST) throw this.fault(`Nested more than ${DEEPEST} levels deep.`);
    const start = this.at;
    switch (this.text[this.at]) {
      case '{':
        return this.object(depth);
      case '[':
        return this.array(depth);
      case '"': {
        const { value, token } = this.string();
        return { kind: 'string', value, token, start };
      }
      default:
        return this.word(start);
    }
  }

  private object(depth: number): JsonObject {
    const start = this.at;
    const members: JsonMember[] = [];
    this.at += 1;
    this.skipSpace();
    if (this.take('}')) return { kind: 'object', members, start };
    for (;;) {
      if (this.text[this.at] !== '"') {
        const afterComma = members.length > 0;
        if (this.at >= this.text.length)
          throw this.fault('This object is not closed: “}” is missing.', start);
        if (afterComma && this.text[this.at] === '}')
          throw this.fault('There is a comma before “}”; remove it.');
        throw this.fault(`A name in double quotes is expected here, not ${this.seen()}.`);
      }
      const name = this.string();
      this.skipSpace();
      if (!this.take(':')) throw this.fault(`A colon is expected after ${name.token}, not ${this.seen()}.`);
      this.skipSpace();
      const value = this.value(depth + 1);
      members.push({ key: name.value, keyToken: name.token, value });
      this.skipSpace();
      if (this.take('}')) return { kind: 'object', members, start };
      if (!this.take(',')) {
        if (this.at >= this.text.length)
          throw this.fault('This object is not closed: “}” is missing.', start);
        throw this.fault(`A comma or “}” is expected here, not ${this.seen()}.`);
      }
      this.skipSpace();
    }
  }

  private array(depth: number): JsonNode {
    const start = this.at;
    const items: JsonNode[] = [];
    this.at += 1;
    this.skipSpace();
    if (this.take(']')) return { kind: 'array', items, start };
    for (;;) {
      if (this.at >= this.text.length) throw this.fault('This list is not closed: “]” is missing.', start);
      if (this.text[this.at] === ']') throw this.fault('There is a comma before “]”; remove it.');
      items.push(this.value(depth + 1));
      this.skipSpace();
      if (this.take(']')) return { kind: 'array', items, start };
      if (!this.take(',')) {
        if (this.at >= this.text.length) throw this.fault('This list is not closed: “]” is missing.', start);
        throw this.fault(`A comma or “]” is expected here, not ${this.seen()}.`);
      }
      this.skipSpace();
    }
  }

  private string(): { value: string; token: string } {
    const start = this.at;
    let plain = true;
    this.at += 1;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (Number.isNaN(code))
        throw this.fault('This string is not closed: a double quote is missing.', start);
      if (code === 0x22) break;
      if (code === 0x0a || code === 0x0d) {
        throw this.fault('A string cannot run over a line end; write \\n, or close it with a double quote.');
      }
      if (code < 0x20) throw this.fault('A control character must be written as \\u and four hex digits.');
      if (code === 0x5c) {
        plain = false;
        this.escape();
      } else {
        this.at += 1;
      }
    }
    this.at += 1;
    const token = this.text.slice(start, this.at);
    return { value: plain ? token.slice(1, -1) : (JSON.parse(token) as string), token };
  }

  private escape(): void {
    const next = this.text[this.at + 1];
    if (next === 'u') {
      if (!/^[0-9a-fA-F]{4}$/.test(this.text.slice(this.at + 2, this.at + 6))) {
        throw this.fault('\\u needs four hex digits.');
      }
      this.at += 6;
    } else if (next !== undefined && '"\\/bfnrt'.includes(next)) {
      this.at += 2;
    } else {
      throw this.fault('JSON has no such escape; write \\\\ for a backslash.');
    }
  }

  private word(start: number): JsonNode {
    const word = this.text.slice(start, this.endOfWord());
    if (word === '') throw this.fault(`A value is expected here, not ${this.seen()}.`);
    const node = nodeOfWord(word, start);
    if (node === undefined) throw this.fault(faultOfWord(word));
    this.at = start + word.length;
    return node;
  }

  /** Where a run of characters ends that are neither white space nor any of `,:[]{}"`. */
  private endOfWord(): number {
    let end = this.at;
    for (;;) {
      const code = this.text.charCodeAt(end);
      const stops =
        Number.isNaN(code) ||
        code <= 0x20 ||
        code === 0x22 ||
        code === 0x2c ||
        code === 0x3a ||
        code === 0x5b ||
        code === 0x5d ||
        code === 0x7b ||
        code === 0x7d;
      if (stops) return end;
      end += 1;
    }
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at += 1;
    }
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private seen(): string {
    const point = this.text.codePointAt(this.at);
    return point === undefined ? 'the end of the text' : `“${String.fromCodePoint(point)}”`;
  }

  private fault(message: string, offset = this.at): Unreadable {
    return new Unreadable(offset, message);
  }
}

function nodeOfWord(word: string, start: number): JsonNode | undefined {
  switch (word) {
    case 'null':
      return { kind: 'null', start };
    case 'true':
    case 'false':
      return { kind: 'boolean', value: word === 'true', start };
    default:
      return NUMBER_TOKEN.test(word) ? { kind: 'number', digits: word, start } : undefined;
  }
}

function faultOfWord(word: string): string {
  const shown = word.length > 24 ? `${word.slice(0, 24)}…` : word;
  if (/^'/.test(word)) return 'JSON strings stand in double quotes, not in single ones.';
  if (/^(?:True|TRUE|False|FALSE|None|nil|NULL|Null|undefined)$/.test(word)) {
    return `“${shown}” is not JSON; write true, false or null.`;
  }
  if (/^[-+.\d]/.test(word)) return `“${shown}” is not a number as JSON writes it.`;
  if (/^(?:NaN|Infinity)$/.test(word)) return `JSON has no ${shown}.`;
  if (word.startsWith('//') || word.startsWith('/*')) return 'JSON has no comments.';
  return `“${shown}” is not a JSON value; text stands in double quotes.`;
}

/** The JSON token of a string. Lone surrogates come out as escapes, so the result is always valid Unicode. */
export function stringToken(value: string): string {
  return JSON.stringify(value);
}

/** The node without white space; every token as it was written. */
export function compact(node: JsonNode): string {
  switch (node.kind) {
    case 'null':
      return 'null';
    case 'boolean':
      return String(node.value);
    case 'number':
      return node.digits;
    case 'string':
      return node.token;
    case 'array':
      return `[${node.items.map(compact).join(',')}]`;
    case 'object':
      return `{${node.members.map((member) => `${member.keyToken}:${compact(member.value)}`).join(',')}}`;
  }
}

/** The node over lines with two spaces a level; every token as it was written. */
export function layout(node: JsonNode, indent = ''): string {
  const inner = `${indent}  `;
  if (node.kind === 'array' && node.items.length > 0) {
    return `[\n${node.items.map((item) => inner + layout(item, inner)).join(',\n')}\n${indent}]`;
  }
  if (node.kind === 'object' && node.members.length > 0) {
    const lines = node.members.map((member) => `${inner}${member.keyToken}: ${layout(member.value, inner)}`);
    return `{\n${lines.join(',\n')}\n${indent}}`;
  }
  return compact(node);
}

/** The member's value, or undefined when it is not an object or has no such member; the last of equal names. */
export function get(node: JsonNode | undefined, key: string): JsonNode | undefined {
  if (node?.kind !== 'object') return undefined;
  return node.members.findLast((member) => member.key === key)?.value;
}

/** The member's text, when it is a string. */
export function getString(node: JsonNode | undefined, key: string): string | undefined {
  const value = get(node, key);
  return value?.kind === 'string' ? value.value : undefined;
}

/** The first name that an object of this value repeats. */
export function repeatedName(node: JsonNode): string | undefined {
  if (node.kind === 'array') {
    for (const item of node.items) {
      const name = repeatedName(item);
      if (name !== undefined) return name;
    }
  }
  if (node.kind === 'object') {
    const seen = new Set<string>();
    for (const member of node.members) {
      if (seen.has(member.key)) return member.key;
      seen.add(member.key);
      const name = repeatedName(member.value);
      if (name !== undefined) return name;
    }
  }
  return undefined;
}

/** Whether two nodes mean the same JSON: strings by their characters, numbers by their digits, objects in order. */
export function sameJson(left: JsonNode, right: JsonNode): boolean {
  switch (left.kind) {
    case 'null':
      return right.kind === 'null';
    case 'boolean':
      return right.kind === 'boolean' && left.value === right.value;
    case 'number':
      return right.kind === 'number' && left.digits === right.digits;
    case 'string':
      return right.kind === 'string' && left.value === right.value;
    case 'array':
      return (
        right.kind === 'array' &&
        left.items.length === right.items.length &&
        left.items.every((item, index) => {
          const other = right.items[index];
          return other !== undefined && sameJson(item, other);
        })
      );
    case 'object':
      return (
        right.kind === 'object' &&
        left.members.length === right.members.length &&
        left.members.every((member, index) => {
          const other = right.members[index];
          return other?.key === member.key && sameJson(member.value, other.value);
        })
      );
  }
}

/** A node made here rather than read. */
export function makeObject(members: readonly (readonly [string, JsonNode])[]): JsonObject {
  return {
    kind: 'object',
    members: members.map(([key, value]) => ({ key, keyToken: stringToken(key), value })),
    start: 0,
  };
}

export function makeArray(items: readonly JsonNode[]): JsonNode {
  return { kind: 'array', items, start: 0 };
}

export function makeString(value: string): JsonNode {
  return { kind: 'string', value, token: stringToken(value), start: 0 };
}
