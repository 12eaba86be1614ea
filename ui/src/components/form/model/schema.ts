/** From the text of a JSON Schema to the fields of a form. Never fails: what cannot be drawn becomes JSON text. */

import type { Control, Field, FormShape, Variant } from './field';
import { listHints, numberHints, textHints } from './hints';
import { compact, describeProblem, get, getString, makeString, readJson, type JsonNode } from './json';
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
    if (!resolution.ok) return describe(written, place, jsonText(resolution.reason, written));
    const { schema } = resolution;
    const core = withoutNull(this.root, schema, merged(place.refs, resolution.refs));
    const control = core.onlyNull ? onlyNull() : this.control(core.schema, { ...place, refs: core.refs });
    return { ...describe(core.schema, place, control, core.nullable), hints: hintsFor(control, core.schema) };
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
      if (!resolution.ok) return jsonText(resolution.reason, schema);
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
    const required = namesIn(get(schema, 'required'));
    const more = get(schema, 'additionalProperties');
    const isOpen = more?.kind === 'object' || get(schema, 'patternProperties') !== undefined;
    const isClosed = more?.kind === 'boolean' && !more.value;
    const names = [...new Set(properties?.members.map((member) => member.key) ?? [])];
    const nothingNamed = names.length === 0 && required.length === 0;
    if (nothingNamed && isOpen) return jsonText('Its names are free: write an object.', schema, 'object');
    if (nothingNamed && !isClosed && place.depth > 0)
      return jsonText('Any object is accepted.', schema, 'object');
    if (this.count + names.length > MOST_FIELDS) {
      return jsonText('The schema has too many fields to draw them all.', schema, 'object');
    }
    const depth = place.depth + 1;
    const fields = names.map((key) =>
      this.field(get(properties, key) ?? schema, {
        key,
        required: required.includes(key),
        depth,
        refs: place.refs,
      }),
    );
    for (const key of required.filter((name) => !names.includes(name))) {
      const control = jsonText('It is required, but the schema does not describe it.', undefined);
      fields.push(describe(undefined, { key, required: true, depth, refs: [] }, control));
    }
    return { kind: 'object', fields };
  }

  private list(schema: JsonNode, place: Place): Control {
    const items = get(schema, 'items');
    if (get(schema, 'prefixItems') !== undefined || items?.kind === 'array') {
      return jsonText('Each place of the list has its own schema.', schema, 'array');
    }
    if (items?.kind !== 'object') return jsonText('Any list is accepted.', schema, 'array');
    const item = this.field(items, { key: '', required: true, depth: place.depth + 1, refs: place.refs });
    if (item.control.kind === 'choice' && !item.control.boolean && !item.nullable) {
      return { kind: 'multiple', options: item.control.options };
    }
    return { kind: 'list', item };
  }
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
      if (fixed !== undefined) return `${key}: ${fixed.kind === 'string' ? fixed.value : compact(fixed)}`;
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
      return listHints(schema, false);
    case 'choice':
    case 'object':
    case 'variants':
    case 'json':
      return [];
  }
}

function likelyType(schema: JsonNode): string | undefined {
  const has = (...keys: string[]): boolean => keys.some((key) => get(schema, key) !== undefined);
  if (has('properties', 'additionalProperties', 'required')) return 'object';
  if (has('items', 'minItems', 'maxItems', 'uniqueItems')) return 'array';
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

function namesIn(node: JsonNode | undefined): string[] {
  if (node?.kind !== 'array') return [];
  return [...new Set(node.items.flatMap((item) => (item.kind === 'string' ? [item.value] : [])))];
}
