/**
 * What a form draws: a tree of fields made once from a schema and never changed. What the person answered is kept
 * apart, in `answer.ts`.
 */

import type { Face } from './conditions';
import type { JsonNode } from './json';

export interface Field {
  /** The property's name; empty for the whole, for a list's item and for a variant. */
  readonly key: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** The object that holds it must have it. */
  readonly required: boolean;
  /** `null` is offered beside the control. */
  readonly nullable: boolean;
  readonly deprecated: boolean;
  readonly fallback: JsonNode | undefined;
  /** Short remarks on what is accepted: `1 to 12`. */
  readonly hints: readonly string[];
  /** The conditions under which it is the one that is shown, where there are any. */
  readonly shown?: Face['shown'];
  /** Keywords of its schema that nothing understands: they are ignored, and the person is told so. */
  readonly ignored: readonly string[];
  readonly control: Control;
}

export type Control =
  | TextControl
  | NumberControl
  | ChoiceControl
  | MultipleControl
  | ObjectControl
  | ListControl
  | TupleControl
  | VariantsControl
  | AgainControl
  | JsonControl;

export interface TextControl {
  readonly kind: 'text';
  readonly format: string | undefined;
  /** Starts with several lines. */
  readonly multiline: boolean;
}

export interface NumberControl {
  readonly kind: 'number';
  readonly integer: boolean;
}

/** One of some values. */
export interface ChoiceControl {
  readonly kind: 'choice';
  readonly options: readonly Option[];
  /** The two options are true and false. */
  readonly boolean: boolean;
}

/** Any of some values: a list whose items are a choice. */
export interface MultipleControl {
  readonly kind: 'multiple';
  readonly options: readonly Option[];
}

export interface Option {
  readonly label: string;
  /** The value as JSON, when the label does not show it. */
  readonly detail: string | undefined;
  readonly value: JsonNode;
}

export interface ObjectControl {
  readonly kind: 'object';
  /** Where conditions say what a member is, each of what it may be; never more than one of them is shown. */
  readonly fields: readonly Field[];
  /** What the members are judged by, with the document that holds their references. */
  readonly conditions?: { readonly root: JsonNode; readonly schemas: readonly JsonNode[] } | undefined;
  /** Members of any name, in the person's hand. */
  readonly more?: MoreMembers | undefined;
}

/** What members are that the schema does not name. */
export interface MoreMembers {
  /** By a pattern of their names; the first that matches. */
  readonly patterns: readonly { readonly pattern: string; readonly value: Field }[];
  /** Of every other name; undefined when there must be none. */
  readonly other: Field | undefined;
  /** Short remarks on the names that are accepted. */
  readonly hints: readonly string[];
}

export interface ListControl {
  readonly kind: 'list';
  readonly item: Field;
}

/** A list whose first places have a schema each. */
export interface TupleControl {
  readonly kind: 'tuple';
  readonly places: readonly Field[];
  /** What follows them; undefined when nothing may. */
  readonly rest: Field | undefined;
}

/** What holds it, once more: drawn when somebody opens it. */
export interface AgainControl {
  readonly kind: 'again';
  /** The same field each time. */
  readonly open: () => Field;
}

/** One of several shapes. */
export interface VariantsControl {
  readonly kind: 'variants';
  readonly variants: readonly Variant[];
}

export interface Variant {
  readonly label: string;
  readonly field: Field;
}

/** Any JSON, typed as text. */
export interface JsonControl {
  readonly kind: 'json';
  /** Why there is no better control. */
  readonly reason: string;
  /** The only type that is accepted, when the schema says so. */
  readonly type: 'object' | 'array' | undefined;
}

/** Up to this many options are all visible; more become a list to search in. */
export const VISIBLE_OPTIONS = 7;

/** What can be drawn of a schema. */
export type FormShape =
  | { readonly kind: 'form'; readonly root: Field }
  /** The whole value is JSON text; `reason` says why, in plain words. */
  | { readonly kind: 'json'; readonly reason: string };
