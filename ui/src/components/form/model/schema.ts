/** From the text of a JSON Schema to the fields of a form. Never fails: what cannot be drawn becomes JSON text. */

import { facesOf, planOf, type Face } from './conditions';
import type { Control, Field, FormShape, MoreMembers, Variant } from './field';
import { CONDITIONS } from './gather';
import { listHints, numberHints, textHints } from './hints';
import { placesOf } from './holds';
import {
  compact,
  describeProblem,
  get,
  getString,
  makeArray,
  makeObject,
  makeString,
  readJson,
  type JsonNode,
} from './json';
import { unknownKeywords } from './keywords';
import { withoutNull } from './nullable';
import { apart, choice, choiceFromEnum, onlyNull, optionFor, optionsOf, yesOrNo } from './options';
import { join, override, resolve, without } from './resolve';

/** More fields than this are not drawn: the rest are JSON text. */
const MOST_FIELDS = 400;
/** Fields nested deeper than this are JSON text. */
const DEEPEST_FIELD = 8;
const MOST_VARIANTS = 12;
/** From this length on a text starts with several lines. */
const LONG_TEXT = 120;

export function readSchema(text: string): FormShape {
  const reading = readJson(text);
  if (!reading.ok)
    return { kind: 'json', reason: `The schema is not JSON. ${describeProblem(reading.problem)}` };
  const root = reading.node;
  if (root.kind === 'boolean') {
    return {
      kind: 'json',
      reason: root.value
        ? 'The schema is “true”: it accepts anything and describes nothing.'
        : 'The schema is “false”: it accepts nothing at all. You can send JSON all the same.',
    };
  }
  if (root.kind !== 'object') {
    return { kind: 'json', reason: `The schema is ${inWords(root)}; a JSON Schema is an object.` };
  }
  const fault = faultOfObjectSchema(root);
  if (fault !== undefined) return { kind: 'json', reason: fault };
  const builder = new Builder(root);
  const field = builder.field(root, { key: '', required: true, depth: 0, refs: ['#'] });
  const { control } = field;
  if (control.kind === 'object' || control.kind === 'variants') return { kind: 'form', root: field };
  return { kind: 'json', reason: reasonForWhole(root, control) };
}

/** What makes an object no schema for arguments, where nothing at all could be drawn from it. */
function faultOfObjectSchema(schema: JsonNode): string | undefined {
  const properties = get(schema, 'properties');
  if (properties !== undefined && properties.kind !== 'object') {
    return `The schema's “properties” is ${inWords(properties)}; it must be an object of schemas.`;
  }
  const type = get(schema, 'type');
  if (type !== undefined && type.kind !== 'string' && type.kind !== 'array') {
    return `The schema's “type” is ${inWords(type)}; it must be a name or a list of names.`;
  }
  return undefined;
}

function reasonForWhole(root: JsonNode, control: Control): string {
  if (control.kind === 'json') return control.reason;
  const type = getString(root, 'type');
  if (type === undefined) return 'The schema does not describe an object.';
  return `The schema describes a value of type “${type}”, but the whole must be an object.`;
}

function inWords(node: JsonNode): string {
  switch (node.kind) {
    case 'null':
      return 'null';
    case 'boolean':
      return String(node.value);
    case 'number':
      return `the number ${node.digits}`;
    case 'string':
      return 'a string';
    case 'array':
      return 'a list';
    case 'object':
      return 'an object';
  }
}

interface Place {
  readonly key: string;
  readonly required: boolean;
  readonly depth: number;
  /** The references that led here. */
  readonly refs: readonly string[];
}

/** One of the shapes that a union allows. */
interface Shape {
  readonly label: string;
  readonly schema: JsonNode;
  readonly refs: readonly string[];
}

class Builder {
  private count = 0;

  constructor(private readonly root: JsonNode) {}

  field(written: JsonNode, place: Place): Field {
    this.count += 1;
    const resolution = resolve(this.root, written, place.key === '' && place.depth === 0 ? [] : place.refs);
    if (!resolution.ok) {
      const control =
        resolution.isAgain === true ? this.again(written) : jsonText(resolution.reason, written);
      return describe(written, place, control);
    }
    const { schema } = resolution;
    const core = withoutNull(this.root, schema, merged(place.refs, resolution.refs));
    if (core.isAgain === true) return describe(core.schema, place, this.again(core.schema), core.nullable);
    const control = core.onlyNull ? onlyNull() : this.control(core.schema, { ...place, refs: core.refs });
    return { ...describe(core.schema, place, control, core.nullable), hints: hintsFor(control, core.schema) };
  }

  /** A schema inside itself: as far as somebody opens it. */
  private again(written: JsonNode): Control {
    let field: Field | undefined;
    const { root } = this;
    const open = (): Field => {
      const bare = without(written, 'default');
      field ??= new Builder(root).field(bare, { key: '', required: true, depth: 1, refs: [] });
      return field;
    };
    return { kind: 'again', open };
  }

  private control(schema: JsonNode, place: Place): Control {
    if (schema.kind !== 'object') {
      const any = schema.kind === 'boolean' && schema.value;
      return jsonText(any ? 'Any value is accepted.' : 'Its schema is not a schema.', schema);
    }
    if (this.count > MOST_FIELDS) return jsonText('The schema has too many fields to draw them all.', schema);
    if (place.depth > DEEPEST_FIELD) return jsonText('It is nested too deep to be drawn.', schema);
    const single = get(schema, 'const');
    if (single !== undefined) return choice([optionFor(single)]);
    const values = get(schema, 'enum');
    if (values !== undefined) {
      return values.kind === 'array' && values.items.length > 0
        ? choiceFromEnum(schema, values.items)
        : jsonText('Its “enum” is not a list of values.', schema);
    }
    const branches = this.branches(schema, place);
    if (branches !== undefined) return branches;
    return this.byType(schema, place);
  }

  private byType(schema: JsonNode, place: Place): Control {
    const type = get(schema, 'type');
    if (type?.kind === 'array') return this.ofTypes(schema, type.items, place);
    if (type !== undefined && type.kind !== 'string') return jsonText('Its “type” is not a name.', schema);
    const name = type?.value ?? likelyType(schema);
    switch (name) {
      case 'string':
        return { kind: 'text', format: getString(schema, 'format'), multiline: startsLong(schema) };
      case 'number':
      case 'integer':
        return { kind: 'number', integer: name === 'integer' };
      case 'boolean':
        return yesOrNo();
      case 'null':
        return onlyNull();
      case 'object':
        return this.object(schema, place);
      case 'array':
        return this.list(schema, place);
      case undefined:
        return jsonText('The schema does not say what type it has.', schema);
      default:
        return jsonText(`“${name}” is not a type that JSON Schema knows.`, schema);
    }
  }

  private ofTypes(schema: JsonNode, types: readonly JsonNode[], place: Place): Control {
    const names = types.flatMap((type) => (type.kind === 'string' ? [type.value] : []));
    const [only] = names;
    if (only === undefined) return jsonText('Its list of types is empty.', schema);
    if (names.length === 1) return this.byType(override(schema, [['type', makeString(only)]]), place);
    const bare = without(schema, 'default');
    return this.variants(
      names.map((name) => ({
        label: name,
        schema: override(bare, [['type', makeString(name)]]),
        refs: place.refs,
      })),
      place,
      'It accepts several types.',
    );
  }

  /** The control that `oneOf` and `anyOf` ask for, where they change what is drawn. */
  private branches(schema: JsonNode, place: Place): Control | undefined {
    const one = get(schema, 'oneOf');
    const any = get(schema, 'anyOf');
    const list = one ?? any;
    if (list === undefined) return undefined;
    if (list.kind !== 'array' || list.items.length === 0) {
      return jsonText('Its “oneOf” or “anyOf” is not a list of schemas.', schema);
    }
    if (one !== undefined && any !== undefined) return jsonText('It has both “oneOf” and “anyOf”.', schema);
    const key = one === undefined ? 'anyOf' : 'oneOf';
    const base = without(schema, key);
    const options = optionsOf(this.root, list.items, place.refs);
    if (options !== undefined) return choice(options);
    if (list.items.every(onlyRestricts)) return undefined;
    if (list.items.length > MOST_VARIANTS) return jsonText('It has too many variants to draw them.', schema);
    const written = ['title', 'description', 'default'].reduce(without, base);
    const shapes: Shape[] = [];
    for (const [index, branch] of list.items.entries()) {
      const resolution = resolve(this.root, branch, place.refs);
      if (!resolution.ok) {
        if (resolution.isAgain !== true) return jsonText(resolution.reason, schema);
        shapes.push({ label: labelOf(branch, branch, index), schema: branch, refs: place.refs });
        continue;
      }
      const joined = join(resolution.schema, written);
      if (joined === undefined)
        return jsonText(`Its “${key}” is combined in a way that a form cannot show.`, schema);
      shapes.push({
        label: labelOf(branch, resolution.schema, index),
        schema: joined,
        refs: resolution.refs,
      });
    }
    return this.variants(shapes, place, `A form cannot show its “${key}”.`);
  }

  private variants(shapes: readonly Shape[], place: Place, otherwise: string): Control {
    const variants: Variant[] = shapes.map(({ label, schema, refs }) => ({
      label,
      field: this.field(schema, { key: '', required: true, depth: place.depth + 1, refs }),
    }));
    const [only] = variants;
    if (only !== undefined && variants.length === 1) return only.field.control;
    if (variants.every(({ field }) => field.control.kind === 'json')) return jsonText(otherwise, undefined);
    return { kind: 'variants', variants: apart(variants) };
  }

  private object(schema: JsonNode, place: Place): Control {
    const properties = get(schema, 'properties');
    if (properties !== undefined && properties.kind !== 'object') {
      return jsonText(`Its “properties” is ${inWords(properties)}, not an object.`, schema);
    }
    const more = this.more(schema, place);
    const plan = planOf(this.root, schema, place.refs);
    const faces = facesOf(schema, plan);
    if (faces.length === 0) {
      const isTyped = more !== undefined && (more.patterns.length > 0 || more.other?.control.kind !== 'json');
      if (more !== undefined && !isTyped)
        return jsonText('Its names are free: write an object.', schema, 'object');
      const isClosed = more === undefined && isFalse(get(schema, 'additionalProperties'));
      if (more === undefined && !isClosed && place.depth > 0)
        return jsonText('Any object is accepted.', schema, 'object');
    }
    if (this.count + faces.length > MOST_FIELDS) {
      return jsonText('The schema has too many fields to draw them all.', schema, 'object');
    }
    const fields = faces.map((face) => this.member(face, place));
    const conditions =
      plan.conditions.length === 0 ? undefined : { root: this.root, schemas: plan.conditions };
    return { kind: 'object', fields, conditions, more };
  }

  private member({ key, schemas, required, shown }: Face, place: Place): Field {
    const within = { key, required, depth: place.depth + 1, refs: place.refs };
    const [only] = schemas;
    if (only === undefined) {
      const control = jsonText('It is required, but the schema does not describe it.', undefined);
      return { ...describe(undefined, within, control), shown };
    }
    if (schemas.length === 1) return { ...this.field(only, within), shown };
    const joined = this.field(makeObject([['allOf', makeArray(schemas)]]), within);
    // What cannot be shown together is at least shown as the object itself describes it.
    const field = joined.control.kind === 'json' ? this.field(schemas.at(-1) ?? only, within) : joined;
    return { ...field, shown };
  }

  /** What members are that the schema does not name; undefined where it says nothing of them, or forbids them. */
  private more(schema: JsonNode, place: Place): MoreMembers | undefined {
    const rest = get(schema, 'additionalProperties') ?? get(schema, 'unevaluatedProperties');
    const written = get(schema, 'patternProperties');
    const value = { key: '', required: true, depth: place.depth + 1, refs: place.refs };
    const patterns = (written?.kind === 'object' ? written.members : [])
      .filter((member) => !isFalse(member.value))
      .map(({ key, value: shape }) => ({ pattern: key, value: this.field(shape, value) }));
    const isAny = rest?.kind === 'boolean' && rest.value;
    // Any value of any name: a place to write the whole is better, where nothing is named.
    const other = rest?.kind === 'object' || isAny ? this.field(rest, value) : undefined;
    if (other === undefined && patterns.length === 0) return undefined;
    if (isAny && patterns.length === 0 && get(schema, 'properties') === undefined) return undefined;
    const names = get(schema, 'propertyNames');
    const allowed = get(names, 'enum');
    const hints = names === undefined ? [] : textHints(names);
    if (allowed?.kind === 'array') hints.push(`one of ${allowed.items.map(asWord).join(', ')}`);
    if (other === undefined) hints.push(...patterns.map(({ pattern }) => `matches ${pattern}`));
    return { patterns, other, hints };
  }

  private list(schema: JsonNode, place: Place): Control {
    const { prefix, rest } = placesOf(schema);
    const depth = place.depth + 1;
    const isOpen = rest === undefined || (rest.kind === 'boolean' && rest.value);
    if (prefix.length > 0) {
      const least = get(schema, 'minItems');
      const needed = least?.kind === 'number' ? Number(least.digits) : 0;
      const places = prefix.map((item, index) => {
        const field = this.field(item, {
          key: `item ${index + 1}`,
          required: index < needed,
          depth,
          refs: place.refs,
        });
        return field.title === undefined || field.title === '' ? field : { ...field, key: field.title };
      });
      const most = get(schema, 'maxItems');
      const isFull = isFalse(rest) || (most?.kind === 'number' && Number(most.digits) <= prefix.length);
      const after = rest?.kind === 'object' ? rest : makeObject([]);
      const item = isFull
        ? undefined
        : this.field(after, { key: '', required: true, depth, refs: place.refs });
      return { kind: 'tuple', places, rest: item };
    }
    if (isOpen || rest.kind !== 'object') return jsonText('Any list is accepted.', schema, 'array');
    const item = this.field(rest, { key: '', required: true, depth, refs: place.refs });
    if (item.control.kind === 'choice' && !item.control.boolean && !item.nullable) {
      return { kind: 'multiple', options: item.control.options };
    }
    return { kind: 'list', item };
  }
}

function isFalse(schema: JsonNode | undefined): boolean {
  return schema?.kind === 'boolean' && !schema.value;
}

function asWord(value: JsonNode): string {
  return value.kind === 'string' ? value.value : compact(value);
}

function merged(refs: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...refs, ...more])];
}

/** A branch that only narrows what stands beside it, such as `{"required": ["a"]}`. */
function onlyRestricts(branch: JsonNode): boolean {
  const narrowing = new Set(['required', 'not', 'title', 'description', '$comment', 'dependentRequired']);
  return branch.kind === 'object' && branch.members.every((member) => narrowing.has(member.key));
}

function labelOf(written: JsonNode, schema: JsonNode, index: number): string {
  const title = getString(schema, 'title');
  if (title !== undefined && title !== '') return title;
  const ref = getString(written, '$ref')?.split('/').at(-1);
  if (ref !== undefined && ref !== '' && ref !== '#') return ref;
  const tag = get(schema, 'properties');
  if (tag?.kind === 'object') {
    for (const { key, value } of tag.members) {
      const fixed = get(value, 'const');
      if (fixed !== undefined) return `${key}: ${asWord(fixed)}`;
    }
  }
  return getString(schema, 'type') ?? `variant ${index + 1}`;
}

function jsonText(reason: string, schema: JsonNode | undefined, type?: 'object' | 'array'): Control {
  const named = getString(schema, 'type');
  return {
    kind: 'json',
    reason,
    type: type ?? (named === 'object' || named === 'array' ? named : undefined),
  };
}

function describe(schema: JsonNode | undefined, place: Place, control: Control, nullable = false): Field {
  const deprecated = get(schema, 'deprecated');
  const fallback = get(schema, 'default');
  const offersNull =
    control.kind === 'choice' && control.options.some((option) => option.value.kind === 'null');
  return {
    key: place.key,
    title: getString(schema, 'title'),
    description: getString(schema, 'description'),
    required: place.required,
    // A default of null is kept even where the type forgets to allow it.
    nullable: !offersNull && control.kind !== 'json' && (nullable || fallback?.kind === 'null'),
    deprecated: deprecated?.kind === 'boolean' && deprecated.value,
    fallback,
    hints: [],
    ignored: unknownKeywords(schema),
    control,
  };
}

function hintsFor(control: Control, schema: JsonNode): string[] {
  switch (control.kind) {
    case 'text':
      return textHints(schema);
    case 'number':
      return numberHints(schema);
    case 'multiple':
      return listHints(schema, true);
    case 'list':
    case 'tuple':
      return listHints(schema, false);
    case 'choice':
    case 'object':
    case 'variants':
    case 'again':
    case 'json':
      return [];
  }
}

function likelyType(schema: JsonNode): string | undefined {
  const has = (...keys: string[]): boolean => keys.some((key) => get(schema, key) !== undefined);
  if (has('properties', 'additionalProperties', 'patternProperties', 'required', CONDITIONS)) return 'object';
  if (has('items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems')) return 'array';
  if (has('minLength', 'maxLength', 'pattern', 'format')) return 'string';
  if (has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) return 'number';
  return undefined;
}

function startsLong(schema: JsonNode): boolean {
  const most = get(schema, 'maxLength');
  const fallback = get(schema, 'default');
  const media = getString(schema, 'contentMediaType');
  if (getString(schema, 'format') !== undefined) return false;
  if (media !== undefined) return true;
  if (fallback?.kind === 'string' && (fallback.value.length > LONG_TEXT || fallback.value.includes('\n')))
    return true;
  return most?.kind === 'number' && Number(most.digits) > LONG_TEXT;
}
