/** Values to choose from: `enum`, `const`, and `oneOf` with titles. The values keep their types. */

import type { Control, Option } from './field';
import { compact, get, getString, type JsonNode } from './json';
import { resolve } from './resolve';

/** The options when every branch is a `const` or an `enum`. */
export function optionsOf(
  root: JsonNode,
  branches: readonly JsonNode[],
  refs: readonly string[],
): Option[] | undefined {
  const options: Option[] = [];
  for (const branch of branches) {
    const resolution = resolve(root, branch, refs);
    if (!resolution.ok) return undefined;
    const single = get(resolution.schema, 'const');
    const values = get(resolution.schema, 'enum');
    if (single !== undefined) options.push(optionFor(single, getString(resolution.schema, 'title')));
    else if (values?.kind === 'array') options.push(...values.items.map((value) => optionFor(value)));
    else return undefined;
  }
  return options;
}

export function choice(options: readonly Option[]): Control {
  return { kind: 'choice', options: distinct(options), boolean: false };
}

export function choiceFromEnum(schema: JsonNode, values: readonly JsonNode[]): Control {
  const titles = get(schema, 'enumNames');
  return choice(
    values.map((value, index) => {
      const title = titles?.kind === 'array' ? titles.items[index] : undefined;
      return optionFor(value, title?.kind === 'string' ? title.value : undefined);
    }),
  );
}

export function optionFor(value: JsonNode, title?: string): Option {
  const plain = value.kind === 'string' && value.value.trim() !== '' ? value.value : compact(value);
  return title === undefined || title === plain
    ? { label: plain, detail: undefined, value }
    : { label: title, detail: plain, value };
}

/** Labels that would read alike are told apart: by their JSON (`"1"` and `1`), then by their number. */
function distinct(options: readonly Option[]): Option[] {
  const alike = new Map<string, Option[]>();
  for (const option of options) {
    const others = alike.get(option.label);
    if (others === undefined) alike.set(option.label, [option]);
    else others.push(option);
  }
  const byJson = options.map((option) => {
    const others = alike.get(option.label) ?? [];
    if (others.length === 1) return option;
    if (option.detail !== undefined) return { ...option, label: `${option.label} (${option.detail})` };
    return others.some((other) => other.value.kind !== option.value.kind)
      ? { ...option, label: compact(option.value) }
      : option;
  });
  return apart(byJson);
}

/** Numbers what still reads alike. */
export function apart<T extends { readonly label: string }>(labelled: readonly T[]): T[] {
  const met = new Map<string, number>();
  return labelled.map((one) => {
    const times = (met.get(one.label) ?? 0) + 1;
    met.set(one.label, times);
    return times === 1 ? one : { ...one, label: `${one.label} (${times})` };
  });
}

export function yesOrNo(): Control {
  const options = [true, false].map((value) => ({
    label: String(value),
    detail: undefined,
    value: { kind: 'boolean', value, start: 0 } as const,
  }));
  return { kind: 'choice', options, boolean: true };
}

export function onlyNull(): Control {
  return choice([{ label: 'null', detail: undefined, value: { kind: 'null', start: 0 } }]);
}
