/**
 * What the person answered, apart from the schema: plain data that a component may wrap in a reactive proxy.
 *
 * `unset` means that the person has given nothing: an optional field is then left out, whether it was never
 * touched or was cleared. A value is `set`; nothing falls back to a default once the form is open.
 */

import type { Field, Option } from './field';
import { compact, layout, sameJson, type JsonMember, type JsonNode } from './json';

export type Answer =
  TextAnswer | ChoiceAnswer | MultipleAnswer | ObjectAnswer | ListAnswer | VariantsAnswer | JsonAnswer;

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
  /** One for each field, in the fields' order. */
  members: Answer[];
  /** Members that the schema does not name, as they were typed in the JSON view. */
  extras: Extra[];
}

export interface Extra {
  key: string;
  json: string;
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
  return { id: lastItem, answer: untouched(field) };
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
        extras: [],
      };
    case 'list':
      return { kind: 'list', state: 'unset', items: [] };
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
      return objectFrom(control.fields, value);
    case 'list': {
      if (value.kind !== 'array') return undefined;
      const items = value.items.map((item) => ({
        ...newItem(control.item),
        answer: answerFrom(control.item, item),
      }));
      return { kind: 'list', state: 'set', items };
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

function objectFrom(fields: readonly Field[], value: JsonNode): ObjectAnswer | undefined {
  if (value.kind !== 'object' || new Set(value.members.map(({ key }) => key)).size !== value.members.length) {
    return undefined;
  }
  const given = new Map<string, JsonMember>(value.members.map((member) => [member.key, member]));
  const members = fields.map((field) => {
    const member = given.get(field.key);
    given.delete(field.key);
    return member === undefined ? absent(field) : answerFrom(field, member.value);
  });
  const extras = [...given.values()].map((member) => ({ key: member.key, json: compact(member.value) }));
  return { kind: 'object', state: 'set', members, extras };
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
  const { fields } = shape.control;
  const unfit = answer.members.filter((member, index) => {
    const field = fields[index];
    if (field === undefined) return false;
    if (member.kind === 'json') return field.control.kind !== 'json';
    return field.required && member.state === 'unset';
  });
  return answer.extras.length + unfit.length * 10;
}

function placeOf(options: readonly Option[], value: JsonNode): number {
  return options.findIndex((option) => sameJson(option.value, value));
}
