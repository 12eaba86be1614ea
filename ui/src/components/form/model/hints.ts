/** Short remarks on what a schema accepts, for the help line under a field. */

import { compact, get, getString, type JsonNode } from './json';

/** A number limit as written, when the schema has one. */
function digits(schema: JsonNode, key: string): string | undefined {
  const value = get(schema, key);
  return value?.kind === 'number' ? value.digits : undefined;
}

export function textHints(schema: JsonNode): string[] {
  const pattern = getString(schema, 'pattern');
  return [
    ...formatHint(getString(schema, 'format')),
    ...lengthHint(digits(schema, 'minLength'), digits(schema, 'maxLength'), 'character'),
    ...(pattern === undefined ? [] : [`matches ${pattern}`]),
    ...examples(schema),
  ];
}

export function numberHints(schema: JsonNode): string[] {
  const low = digits(schema, 'minimum');
  const high = digits(schema, 'maximum');
  const above = digits(schema, 'exclusiveMinimum');
  const below = digits(schema, 'exclusiveMaximum');
  const step = digits(schema, 'multipleOf');
  const hints: string[] = [];
  if (low !== undefined && high !== undefined) hints.push(`${low} to ${high}`);
  else if (low !== undefined) hints.push(`${low} or more`);
  else if (high !== undefined) hints.push(`${high} or less`);
  if (above !== undefined) hints.push(`more than ${above}`);
  if (below !== undefined) hints.push(`less than ${below}`);
  if (step !== undefined && step !== '1') hints.push(`a multiple of ${step}`);
  return [...hints, ...examples(schema)];
}

export function listHints(schema: JsonNode, choosing: boolean): string[] {
  const low = digits(schema, 'minItems');
  const high = digits(schema, 'maxItems');
  const hints = choosing ? chooseHint(low, high) : lengthHint(low, high, 'item');
  const unique = get(schema, 'uniqueItems');
  if (!choosing && unique?.kind === 'boolean' && unique.value) hints.push('each only once');
  return hints;
}

function chooseHint(low: string | undefined, high: string | undefined): string[] {
  const least = low === '0' ? undefined : low;
  if (least !== undefined && high !== undefined)
    return [least === high ? `choose ${least}` : `choose ${least} to ${high}`];
  if (least !== undefined) return [`choose at least ${least}`];
  if (high !== undefined) return [`choose up to ${high}`];
  return [];
}

function lengthHint(low: string | undefined, high: string | undefined, unit: string): string[] {
  const least = low === '0' ? undefined : low;
  const units = (count: string): string => (count === '1' ? `1 ${unit}` : `${count} ${unit}s`);
  if (least !== undefined && high !== undefined) {
    return [least === high ? `exactly ${units(high)}` : `${least} to ${units(high)}`];
  }
  if (least === '1' && unit === 'character') return ['not empty'];
  if (least !== undefined) return [`at least ${units(least)}`];
  if (high !== undefined) return [`at most ${units(high)}`];
  return [];
}

function formatHint(format: string | undefined): string[] {
  switch (format) {
    case undefined:
      return [];
    case 'email':
    case 'idn-email':
      return ['an email address'];
    case 'uri':
    case 'url':
    case 'iri':
      return ['a full address with its scheme, like https://example.com'];
    case 'uri-reference':
    case 'iri-reference':
      return ['an address or a path'];
    case 'date':
      return ['a date, like 2026-12-31'];
    case 'time':
      return ['a time, like 14:30:00Z'];
    case 'date-time':
      return ['a date and time, like 2026-12-31T14:30:00Z'];
    case 'duration':
      return ['a duration, like PT1H30M'];
    case 'uuid':
      return ['a UUID'];
    default:
      return [`format: ${format}`];
  }
}

function examples(schema: JsonNode): string[] {
  const list = get(schema, 'examples');
  if (list?.kind !== 'array' || list.items.length === 0) return [];
  const shown = list.items.slice(0, 3).map((item) => (item.kind === 'string' ? item.value : compact(item)));
  return [`for example ${shown.join(', ')}`];
}
