/**
 * What the person answered, apart from the schema: plain data that a component may wrap in a reactive proxy.
 *
 * `unset` means that the person has given nothing: an optional field is then left out, whether it was never
 * touched or was cleared. A value is `set`; nothing falls back to a default once the form is open.
 */

import { isShown } from './conditions';
import type { Field, MoreMembers, ObjectControl, Option } from './field';
import { holds, matches } from './holds';
import { compact, layout, sameJson, type JsonMember, type JsonNode } from './json';

export type Answer =
  | TextAnswer
  | ChoiceAnswer
  | MultipleAnswer
  | ObjectAnswer
  | ListAnswer
  | TupleAnswer
  | VariantsAnswer
  | AgainAnswer
  | JsonAnswer;

/** An answer that may be left out, or null. */
export type StatedAnswer = Exclude<Answer, JsonAnswer>;

/** For text and numbers, as typed. `empty` is the empty string, sent on purpose. */
export interface TextAnswer {
  kind: 'text';
  state: 'unset' | 'set' | 'empty' | 'null';
  text: string;
}

export interface ChoiceAnswer {
  kind: 'choice';
  state: 'unset' | 'set' | 'null';
  /** The option's place. */
  pick: number;
}

export interface MultipleAnswer {
  kind: 'multiple';
  state: 'unset' | 'set' | 'null';
  /** The options' places in the order they were chosen. */
  picks: number[];
}

export interface ObjectAnswer {
  kind: 'object';
  state: 'unset' | 'set' | 'null';
  /** One for each field, in the fields' order; those that are not shown keep what was typed. */
  members: Answer[];
  /** Which of the control's conditions hold. */
  held: boolean[];
  /** Members whose names the person gives. */
  rows: NamedRow[];
  /** Members that the schema does not name, as they were typed in the JSON view. */
  extras: Extra[];
}

export interface Extra {
  key: string;
  json: string;
}

export interface NamedRow {
  /** Stays with the row. */
  id: number;
  name: string;
  answer: Answer;
}

export interface ListAnswer {
  kind: 'list';
  state: 'unset' | 'set' | 'null';
  items: ListItem[];
}

export interface ListItem {
  /** Stays with the item when it moves. */
  id: number;
  answer: Answer;
}

export interface TupleAnswer {
  kind: 'tuple';
  state: 'unset' | 'set' | 'null';
  /** One for each place. */
  places: Answer[];
  /** What follows them. */
  items: ListItem[];
}

/** What holds it, once more. */
export interface AgainAnswer {
  kind: 'again';
  state: 'unset' | 'set' | 'null';
  /** Undefined until somebody opens it. */
  inner: Answer | undefined;
}

export interface VariantsAnswer {
  kind: 'variants';
  state: 'unset' | 'set' | 'null';
  pick: number;
  /** One for each variant, so that changing one's mind twice loses nothing. */
  inner: Answer[];
}

/** JSON text as typed: for a JSON field, or in place of any other control that cannot show a value. */
export interface JsonAnswer {
  kind: 'json';
  text: string;
}

let lastItem = 0;

export function newItem(field: Field): ListItem {
  lastItem += 1;
  return { id: lastItem, answer: opened(field) };
}

export function newRow(name: string, answer: Answer): NamedRow {
  lastItem += 1;
  return { id: lastItem, name, answer };
}

/** A new answer that is not left out: whoever adds an item wants to fill it in. */
function opened(field: Field): Answer {
  const answer = untouched(field);
  if (answer.kind === 'again' && field.control.kind === 'again' && answer.state === 'unset') {
    return { kind: 'again', state: 'set', inner: untouched(field.control.open()) };
  }
  return answer;
}

/** What a member of this name is; undefined where none may have it. */
export function valueNamed(more: MoreMembers, name: string): Field | undefined {
  const taken = more.patterns.find(({ pattern }) => matches(pattern, name) === true);
  return taken?.value ?? more.other;
}

/** The same, where a row needs something to draw whatever its name is. */
export function rowField(more: MoreMembers, name: string): Field | undefined {
  return valueNamed(more, name) ?? more.patterns[0]?.value;
}

/** The members that are shown, with their places. */
export function shownMembers(
  control: ObjectControl,
  answer: ObjectAnswer,
): { field: Field; member: Answer; index: number }[] {
  return control.fields.flatMap((field, index) => {
    const member = answer.members[index];
    return member !== undefined && isShown(field.shown, answer.held) ? [{ field, member, index }] : [];
  });
}

/** Which of an object's conditions a value fits. */
export function heldBy(control: ObjectControl, value: JsonNode): boolean[] {
  const { conditions } = control;
  if (conditions === undefined) return [];
  return conditions.schemas.map((schema) => holds(conditions.root, schema, value));
}

/** The answer of a field that nobody has touched: its default, where it has one. */
export function untouched(field: Field): Answer {
  return field.fallback === undefined ? blank(field) : answerFrom(field, field.fallback);
}

/** The answer that gives nothing, or as little as a required field can give. */
export function blank(field: Field): Answer {
  const { control, required } = field;
  switch (control.kind) {
    case 'text':
    case 'number':
      return { kind: 'text', state: 'unset', text: '' };
    case 'choice': {
      // A required single value has no alternative. A yes-or-no is not answered for anybody.
      const given = required && control.options.length === 1 && !field.nullable;
      return { kind: 'choice', state: given ? 'set' : 'unset', pick: given ? 0 : -1 };
    }
    case 'multiple':
      return { kind: 'multiple', state: 'unset', picks: [] };
    case 'object':
      return {
        kind: 'object',
        state: required ? 'set' : 'unset',
        members: control.fields.map(untouched),
        held: heldBy(control, NOTHING),
        rows: [],
        extras: [],
      };
    case 'list':
      return { kind: 'list', state: 'unset', items: [] };
    case 'tuple':
      return {
        kind: 'tuple',
        state: required ? 'set' : 'unset',
        places: control.places.map(untouched),
        items: [],
      };
    case 'again':
      return { kind: 'again', state: 'unset', inner: undefined };
    case 'variants':
      return {
        kind: 'variants',
        state: required ? 'set' : 'unset',
        pick: 0,
        inner: control.variants.map((variant) => untouched(variant.field)),
      };
    case 'json':
      return { kind: 'json', text: required ? emptyOf(control.type) : '' };
  }
}

const NOTHING: JsonNode = { kind: 'object', members: [], start: 0 };

function emptyOf(type: 'object' | 'array' | undefined): string {
  if (type === undefined) return '';
  return type === 'object' ? '{}' : '[]';
}

/** The answer that gives this value: in the field's own control, or as JSON text where that cannot show it. */
export function answerFrom(field: Field, value: JsonNode): Answer {
  return fitting(field, value) ?? { kind: 'json', text: layout(value) };
}

/** What an object's missing member means: nothing was given, whatever the default says. */
function absent(field: Field): Answer {
  const answer = blank({ ...field, required: false });
  if (field.required && field.control.kind === 'object' && answer.kind === 'object') answer.state = 'set';
  return answer;
}

function fitting(field: Field, value: JsonNode): Answer | undefined {
  const { control } = field;
  const bare = (): Answer => blank({ ...field, required: false });
  if (value.kind === 'null' && field.nullable && control.kind !== 'json') {
    const answer = bare();
    if (answer.kind !== 'json') answer.state = 'null';
    return answer;
  }
  switch (control.kind) {
    case 'text':
      if (value.kind !== 'string') return undefined;
      return { kind: 'text', state: value.value === '' ? 'empty' : 'set', text: value.value };
    case 'number':
      if (value.kind !== 'number' || (control.integer && !/^-?\d+$/.test(value.digits))) return undefined;
      return { kind: 'text', state: 'set', text: value.digits };
    case 'choice': {
      const pick = placeOf(control.options, value);
      return pick < 0 ? undefined : { kind: 'choice', state: 'set', pick };
    }
    case 'multiple': {
      if (value.kind !== 'array') return undefined;
      const picks = value.items.map((item) => placeOf(control.options, item));
      if (picks.includes(-1) || new Set(picks).size !== picks.length) return undefined;
      return { kind: 'multiple', state: 'set', picks };
    }
    case 'object':
      return objectFrom(control, value);
    case 'list': {
      if (value.kind !== 'array') return undefined;
      const items = value.items.map((item) => ({
        ...newItem(control.item),
        answer: answerFrom(control.item, item),
      }));
      return { kind: 'list', state: 'set', items };
    }
    case 'tuple': {
      if (value.kind !== 'array') return undefined;
      const { places, rest } = control;
      const after = value.items.slice(places.length);
      if (rest === undefined && after.length > 0) return undefined;
      return {
        kind: 'tuple',
        state: 'set',
        places: places.map((place, index) => {
          const item = value.items[index];
          return item === undefined ? absent(place) : answerFrom(place, item);
        }),
        items:
          rest === undefined
            ? []
            : after.map((item) => ({ ...newItem(rest), answer: answerFrom(rest, item) })),
      };
    }
    case 'again': {
      const inner = fitting(control.open(), value);
      return inner && { kind: 'again', state: 'set', inner };
    }
    case 'variants': {
      const inner = control.variants.map((variant) => fitting(variant.field, value));
      const pick = bestOf(
        control.variants.map(({ field: shape }, index) => ({ shape, answer: inner[index] })),
      );
      if (pick < 0) return undefined;
      return {
        kind: 'variants',
        state: 'set',
        pick,
        inner: control.variants.map(
          (variant, index) => (index === pick && inner[index]) || untouched(variant.field),
        ),
      };
    }
    case 'json':
      return { kind: 'json', text: layout(value) };
  }
}

function objectFrom(control: ObjectControl, value: JsonNode): ObjectAnswer | undefined {
  if (value.kind !== 'object' || new Set(value.members.map(({ key }) => key)).size !== value.members.length) {
    return undefined;
  }
  const given = new Map<string, JsonMember>(value.members.map((member) => [member.key, member]));
  const held = heldBy(control, value);
  const members = control.fields.map((field) => {
    const member = given.get(field.key);
    if (!isShown(field.shown, held)) return untouched(field);
    given.delete(field.key);
    return member === undefined ? absent(field) : answerFrom(field, member.value);
  });
  const { more } = control;
  const others = [...given.values()];
  const answer: ObjectAnswer = { kind: 'object', state: 'set', members, held, rows: [], extras: [] };
  for (const { key, value: member } of others) {
    const field = more && valueNamed(more, key);
    if (field === undefined) answer.extras.push({ key, json: compact(member) });
    else answer.rows.push(newRow(key, answerFrom(field, member)));
  }
  return answer;
}

/** The variant that shows most of a value in its own controls; the first of equals. */
function bestOf(variants: readonly { shape: Field; answer: Answer | undefined }[]): number {
  let best = -1;
  let least = Infinity;
  for (const [index, { shape, answer }] of variants.entries()) {
    if (answer === undefined) continue;
    const strangers = shape.control.kind === 'json' ? 1000 : strangersIn(answer, shape);
    if (strangers < least) {
      least = strangers;
      best = index;
    }
  }
  return best;
}

/** Members that the shape does not name, or cannot show, or requires and does not find. */
function strangersIn(answer: Answer, shape: Field): number {
  if (answer.kind !== 'object' || shape.control.kind !== 'object') return 0;
  const unfit = shownMembers(shape.control, answer).filter(({ field, member }) => {
    if (member.kind === 'json') return field.control.kind !== 'json';
    return field.required && member.state === 'unset';
  });
  return answer.extras.length + unfit.length * 10;
}

function placeOf(options: readonly Option[], value: JsonNode): number {
  return options.findIndex((option) => sameJson(option.value, value));
}
