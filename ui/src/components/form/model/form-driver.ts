/** For tests: an open form, driven by the names of its fields. */

import {
  shownMembers,
  type Answer,
  type ChoiceAnswer,
  type JsonAnswer,
  type ListAnswer,
  type MultipleAnswer,
  type ObjectAnswer,
  type TextAnswer,
  type TupleAnswer,
  type VariantsAnswer,
} from './answer';
import { settle } from './carry';
import * as edit from './edit';
import type { Control, Field } from './field';
import { open } from './whole';
import { write, type FieldProblem } from './write';

export class Form {
  readonly root: Field;
  answer: Answer;

  constructor(schema: object | string, initial?: string) {
    const opening = open(typeof schema === 'string' ? schema : JSON.stringify(schema), initial);
    if (opening.shape.kind !== 'form' || opening.answer === undefined) throw new Error('no form');
    this.root = opening.shape.root;
    this.answer = opening.answer;
  }

  static of(properties: Record<string, unknown>, ...required: string[]): Form {
    return new Form({ type: 'object', properties, required });
  }

  private at(name: string): { field: Field; answer: Answer } {
    if (this.root.control.kind !== 'object' || this.answer.kind !== 'object') throw new Error('no object');
    settle(this.root, this.answer);
    const shown = shownMembers(this.root.control, this.answer).find(({ field }) => field.key === name);
    if (shown === undefined) throw new Error(`no field ${name}`);
    return { field: shown.field, answer: shown.member };
  }

  /** The names of the fields that are shown. */
  names(): string[] {
    if (this.root.control.kind !== 'object' || this.answer.kind !== 'object') throw new Error('no object');
    settle(this.root, this.answer);
    return shownMembers(this.root.control, this.answer).map(({ field }) => field.key);
  }

  field(name: string): Field {
    return this.at(name).field;
  }

  control(name: string): Control {
    return this.at(name).field.control;
  }

  text(name: string): TextAnswer {
    return this.at(name).answer as TextAnswer;
  }

  json(name: string): JsonAnswer {
    return this.at(name).answer as JsonAnswer;
  }

  choice(name: string): ChoiceAnswer {
    return this.at(name).answer as ChoiceAnswer;
  }

  multiple(name: string): MultipleAnswer {
    return this.at(name).answer as MultipleAnswer;
  }

  list(name: string): ListAnswer {
    return this.at(name).answer as ListAnswer;
  }

  tuple(name: string): TupleAnswer {
    return this.at(name).answer as TupleAnswer;
  }

  object(name: string): ObjectAnswer {
    return this.at(name).answer as ObjectAnswer;
  }

  variants(name: string): VariantsAnswer {
    return this.at(name).answer as VariantsAnswer;
  }

  type(name: string, text: string): this {
    const { answer } = this.at(name);
    if (answer.kind === 'json') answer.text = text;
    else edit.typeText(answer as TextAnswer, text);
    return this;
  }

  labels(name: string): string[] {
    const control = this.control(name);
    return 'options' in control ? control.options.map((option) => option.label) : [];
  }

  sent(): string {
    settle(this.root, this.answer);
    const { json, problems } = write(this.root, this.answer);
    return problems.length > 0 || json === undefined ? `blocked: ${JSON.stringify(problems)}` : json;
  }

  problems(): readonly FieldProblem[] {
    return write(this.root, this.answer).problems;
  }
}
