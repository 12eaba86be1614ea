/** From answers to JSON text, with the digits and the types as they were given. */

import {
  rowField,
  shownMembers,
  type Answer,
  type JsonAnswer,
  type ListAnswer,
  type ObjectAnswer,
  type TextAnswer,
  type TupleAnswer,
} from './answer';
import type { Field, ObjectControl, Option, TupleControl } from './field';
import { compact, describeProblem, NUMBER_TOKEN, readJson, stringToken } from './json';
import { joinPointer } from './pointer';

/** Something that keeps an answer from being written, at its field. */
export interface FieldProblem {
  /** A JSON pointer to the field; empty for the whole. */
  readonly pointer: string;
  /** In plain words. */
  readonly message: string;
}

export interface Writing {
  /** Undefined when the field is left out, or cannot be written. */
  readonly json: string | undefined;
  readonly problems: readonly FieldProblem[];
}

/** Writes the whole. Without problems, there is a JSON text. */
export function write(root: Field, answer: Answer): Writing {
  const writer = new Writer();
  const json = writer.value(root, answer, '');
  return { json, problems: writer.problems };
}

class Writer {
  readonly problems: FieldProblem[] = [];

  /** The field's JSON; undefined when it is left out. */
  value(field: Field, answer: Answer, pointer: string): string | undefined {
    if (answer.kind === 'json') return this.json(field, answer, pointer);
    if (answer.state === 'null') return 'null';
    const { control } = field;
    switch (answer.kind) {
      case 'text':
        return control.kind === 'number'
          ? this.number(field, answer, control.integer, pointer)
          : writeText(answer, field.required);
      case 'choice': {
        const option = control.kind === 'choice' ? control.options[answer.pick] : undefined;
        if (answer.state === 'set' && option !== undefined) return compact(option.value);
        return field.required ? this.problem(pointer, 'Choose one.') : undefined;
      }
      case 'multiple': {
        if (answer.state === 'unset') return field.required ? '[]' : undefined;
        return control.kind === 'multiple' ? writePicks(control.options, answer.picks) : undefined;
      }
      case 'object':
        if (answer.state === 'unset' && !field.required) return undefined;
        return control.kind === 'object' ? this.object(control, answer, pointer) : undefined;
      case 'list':
        if (answer.state === 'unset') return field.required ? '[]' : undefined;
        return control.kind === 'list' ? this.list(control.item, answer, pointer) : undefined;
      case 'tuple':
        if (answer.state === 'unset' && !field.required) return undefined;
        return control.kind === 'tuple' ? this.tuple(control, answer, pointer) : undefined;
      case 'again':
        if (answer.state === 'set' && answer.inner !== undefined && control.kind === 'again') {
          return this.value(control.open(), answer.inner, pointer);
        }
        return field.required ? this.problem(pointer, 'Fill this in.') : undefined;
      case 'variants': {
        const variant = control.kind === 'variants' ? control.variants[answer.pick] : undefined;
        const inner = answer.inner[answer.pick];
        if (answer.state === 'set' && variant !== undefined && inner !== undefined) {
          return this.value(variant.field, inner, pointer);
        }
        return field.required ? this.problem(pointer, 'Choose one.') : undefined;
      }
    }
  }

  private number(field: Field, answer: TextAnswer, integer: boolean, pointer: string): string | undefined {
    const text = answer.text.trim();
    if (text === '') {
      return field.required
        ? this.problem(pointer, integer ? 'Enter a whole number.' : 'Enter a number.')
        : undefined;
    }
    const fault = faultOfNumber(text, integer);
    return fault === undefined ? text : this.problem(pointer, fault);
  }

  private object(control: ObjectControl, answer: ObjectAnswer, pointer: string): string {
    const members: string[] = [];
    const names = new Set(answer.extras.map(({ key }) => key));
    for (const { field, member } of shownMembers(control, answer)) {
      const json = this.value(field, member, joinPointer(pointer, field.key));
      if (json !== undefined) members.push(`${stringToken(field.key)}:${json}`);
      names.add(field.key);
    }
    for (const { name, answer: value } of answer.rows) {
      const at = joinPointer(pointer, name);
      const field = control.more && rowField(control.more, name);
      const json = field && this.value(field, value, at);
      if (name === '') this.problem(at, 'Give it a name.');
      else if (names.has(name)) this.problem(at, `The name ${stringToken(name)} stands here twice.`);
      else if (json !== undefined) members.push(`${stringToken(name)}:${json}`);
      names.add(name);
    }
    for (const extra of answer.extras) members.push(`${stringToken(extra.key)}:${extra.json}`);
    return `{${members.join(',')}}`;
  }

  /** The places up to the last that is filled in: a list has no gaps. */
  private tuple(control: TupleControl, answer: TupleAnswer, pointer: string): string {
    const places = control.places.map((place, index) => {
      const given = answer.places[index];
      return given && this.value(place, given, joinPointer(pointer, index));
    });
    const last =
      answer.items.length > 0 ? places.length - 1 : places.findLastIndex((json) => json !== undefined);
    for (const [index, json] of places.entries()) {
      const at = joinPointer(pointer, index);
      if (
        index > last ||
        json !== undefined ||
        this.problems.some((problem) => problem.pointer.startsWith(at))
      )
        continue;
      this.problem(at, 'Fill this in, or leave out what comes after it.');
    }
    const { rest } = control;
    const after = answer.items.map((one, index) => {
      const json = rest && this.value(rest, one.answer, joinPointer(pointer, places.length + index));
      return json ?? 'null';
    });
    return `[${[...places.slice(0, last + 1).map((json) => json ?? 'null'), ...after].join(',')}]`;
  }

  private list(item: Field, answer: ListAnswer, pointer: string): string {
    const items = answer.items.map(
      (one, index) => this.value(item, one.answer, joinPointer(pointer, index)) ?? 'null',
    );
    return `[${items.join(',')}]`;
  }

  private json(field: Field, answer: JsonAnswer, pointer: string): string | undefined {
    if (answer.text.trim() === '') {
      return field.required ? this.problem(pointer, 'This is required: enter a JSON value.') : undefined;
    }
    const reading = readJson(answer.text);
    if (!reading.ok) return this.problem(pointer, `This is not JSON. ${describeProblem(reading.problem)}`);
    return compact(reading.node);
  }

  private problem(pointer: string, message: string): undefined {
    this.problems.push({ pointer, message });
    return undefined;
  }
}

function writeText(answer: TextAnswer, required: boolean): string | undefined {
  if (answer.state === 'unset' && !required) return undefined;
  return stringToken(answer.text);
}

function writePicks(options: readonly Option[], picks: readonly number[]): string {
  const values = picks.flatMap((pick) => {
    const option = options[pick];
    return option === undefined ? [] : [compact(option.value)];
  });
  return `[${values.join(',')}]`;
}

/** Why a typed text cannot be sent as a number, in plain words; undefined when it can, digit by digit. */
export function faultOfNumber(text: string, integer: boolean): string | undefined {
  if (NUMBER_TOKEN.test(text)) {
    if (!integer || /^-?\d+$/.test(text)) return undefined;
    return 'Enter a whole number, without a decimal point or an exponent.';
  }
  if (/^[-+]?(?:nan|inf|infinity)$/i.test(text)) return 'JSON has no such number.';
  if (/^-?\d+,\d+$/.test(text)) return `Write decimals with a point: ${text.replace(',', '.')}.`;
  const plain = text
    .replace(/^\+/, '')
    .replace(/^(-?)0+(?=\d)/, '$1')
    .replace(/^(-?)\./, '$10.')
    .replace(/\.(?=$|[eE])/, '');
  if (NUMBER_TOKEN.test(plain)) return `JSON writes this number as ${plain}.`;
  return integer ? 'Enter a whole number, like 12.' : 'Enter a number, like 12 or 0.5.';
}
