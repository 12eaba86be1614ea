/** The two views of the whole value, fields and JSON text, and the ways between them. */

import { answerFrom, rowField, shownMembers, untouched, type Answer } from './answer';
import { settle } from './carry';
import type { Field, FormShape } from './field';
import {
  compact,
  describeProblem,
  layout,
  placeAt,
  readJson,
  repeatedName,
  stringToken,
  type JsonNode,
} from './json';
import { follow } from './pointer';
import { readSchema } from './schema';
import { write } from './write';

/** A form as it opens. */
export interface Opening {
  readonly shape: FormShape;
  /** Undefined when the whole is JSON text. */
  readonly answer: Answer | undefined;
  readonly view: 'fields' | 'json';
  /** The JSON view's text; empty while the fields are shown. */
  readonly text: string;
}

/** Opens a form for a schema, with the value to begin with, both as JSON text. */
export function open(schema: string, initial: string | undefined): Opening {
  const shape = readSchema(schema);
  if (shape.kind === 'json') return { shape, answer: undefined, view: 'json', text: initial ?? '{}' };
  if (initial === undefined) return { shape, answer: begun(shape.root), view: 'fields', text: '' };
  const reading = fieldsFrom(shape.root, initial);
  return reading.ok
    ? { shape, answer: reading.answer, view: 'fields', text: '' }
    : { shape, answer: begun(shape.root), view: 'json', text: initial };
}

/** The answer to begin with; its defaults may make conditions hold. */
function begun(root: Field): Answer {
  const answer = untouched(root);
  settle(root, answer);
  return answer;
}

export type Whole =
  | { readonly ok: true; readonly node: JsonNode }
  | { readonly ok: false; readonly message: string; readonly offset: number };

/** Reads the JSON view. The whole must be an object; anything else about it is the server's business. */
export function readWhole(text: string): Whole {
  const reading = readJson(text);
  if (!reading.ok)
    return { ok: false, message: describeProblem(reading.problem), offset: reading.problem.offset };
  if (reading.node.kind !== 'object') {
    const message = 'The whole must be a JSON object: it starts with “{” and ends with “}”.';
    return { ok: false, message, offset: reading.node.start };
  }
  return { ok: true, node: reading.node };
}

/** The JSON view's text as it is sent: one line, each token as typed. */
export function wholeToSend(node: JsonNode): string {
  return compact(node);
}

export type FieldsReading =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly message: string; readonly offset: number };

/** From the JSON view to the fields. Refused, with the reason, rather than losing anything. */
export function fieldsFrom(root: Field, text: string): FieldsReading {
  const whole = readWhole(text);
  if (!whole.ok) return whole;
  const name = repeatedName(whole.node);
  if (name !== undefined) {
    const message = `The name ${stringToken(name)} stands twice in one object; fields can show only one of them.`;
    return { ok: false, message, offset: 0 };
  }
  const answer = answerFrom(root, whole.node);
  if (answer.kind === 'json') {
    return { ok: false, message: 'This does not fit any of the shapes that the fields can show.', offset: 0 };
  }
  return { ok: true, answer };
}

/**
 * From the fields to the JSON view. What cannot be written as JSON stands in the text as it was typed, so that it
 * is seen and can be put right there.
 */
export function textFrom(root: Field, answer: Answer): string {
  const { json, problems } = write(root, answer);
  if (json !== undefined && problems.length === 0) {
    const reading = readJson(json);
    if (reading.ok) return layout(reading.node);
  }
  return sketch(root, answer, '') ?? '{}';
}

function sketch(field: Field, answer: Answer, indent: string): string | undefined {
  const { control } = field;
  if (answer.kind === 'object' && control.kind === 'object' && answer.state === 'set') {
    const inner = `${indent}  `;
    const members = shownMembers(control, answer).flatMap(({ field: shown, member }) => {
      const json = sketch(shown, member, inner);
      return json === undefined ? [] : [`${inner}${stringToken(shown.key)}: ${json}`];
    });
    for (const row of answer.rows) {
      const value = control.more && rowField(control.more, row.name);
      const json = (value && sketch(value, row.answer, inner)) ?? 'null';
      members.push(`${inner}${stringToken(row.name)}: ${json}`);
    }
    for (const extra of answer.extras) members.push(`${inner}${stringToken(extra.key)}: ${extra.json}`);
    return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`;
  }
  if (answer.kind === 'list' && control.kind === 'list' && answer.items.length > 0) {
    const inner = `${indent}  `;
    const items = answer.items.map((item) => `${inner}${sketch(control.item, item.answer, inner) ?? 'null'}`);
    return `[\n${items.join(',\n')}\n${indent}]`;
  }
  if (answer.kind === 'tuple' && control.kind === 'tuple' && answer.state === 'set') {
    const inner = `${indent}  `;
    const places = control.places.map((place, index) => {
      const given = answer.places[index];
      return given && sketch(place, given, inner);
    });
    const { rest } = control;
    const items =
      rest === undefined ? [] : answer.items.map((item) => sketch(rest, item.answer, inner) ?? 'null');
    const last = items.length > 0 ? places.length - 1 : places.findLastIndex((json) => json !== undefined);
    const all = [...places.slice(0, last + 1).map((json) => json ?? 'null'), ...items];
    return all.length === 0 ? '[]' : `[\n${all.map((json) => inner + json).join(',\n')}\n${indent}]`;
  }
  if (answer.kind === 'again' && control.kind === 'again' && answer.state === 'set') {
    return answer.inner && sketch(control.open(), answer.inner, indent);
  }
  if (answer.kind === 'variants' && control.kind === 'variants' && answer.state === 'set') {
    const variant = control.variants[answer.pick];
    const given = answer.inner[answer.pick];
    return variant && given && sketch(variant.field, given, indent);
  }
  const { json, problems } = write(field, answer);
  if (problems.length === 0) return json;
  const typed = answer.kind === 'json' || answer.kind === 'text' ? answer.text.trim() : '';
  return typed === '' ? undefined : typed;
}

/** A complaint's place in the JSON view: its line, where the pointer leads somewhere. */
export function lineOf(text: string, pointer: string): number | undefined {
  const reading = readJson(text);
  const node = reading.ok ? follow(reading.node, pointer) : undefined;
  return node && placeAt(text, node.start).line;
}
