/** From a validator's errors to messages at fields, in plain words. */

import { rowField, shownMembers, type Answer } from './answer';
import type { Field } from './field';
import { joinPointer, splitPointer } from './pointer';
import type { FieldProblem } from './write';

/** One thing that a validator has against a value, as the core reports it. */
export interface Complaint {
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
}

/** Each complaint at the field that can show it: the named one, or the nearest one around it. */
export function placeComplaints(
  root: Field,
  answer: Answer,
  complaints: readonly Complaint[],
): FieldProblem[] {
  const placed: FieldProblem[] = [];
  for (const complaint of complaints) {
    const target = missingMember(complaint) ?? complaint.pointer;
    const found = nearest(root, answer, target);
    const message = found.exact ? inPlainWords(complaint, found.field) : complaint.message;
    const inside = found.exact ? '' : insideText(found.pointer, target, root);
    const problem = { pointer: found.pointer, message: `${inside}${message}` };
    if (!placed.some((other) => other.pointer === problem.pointer && other.message === problem.message)) {
      placed.push(problem);
    }
  }
  return placed;
}

/** The pointer to the member that `required` misses: the message names it, the pointer is its object's. */
function missingMember(complaint: Complaint): string | undefined {
  if (complaint.keyword !== 'required') return undefined;
  const name = /["“'`]([^"”'`]+)["”'`]/.exec(complaint.message)?.[1];
  if (name === undefined) return undefined;
  const last = splitPointer(complaint.pointer).at(-1);
  return last === name ? complaint.pointer : joinPointer(complaint.pointer, name);
}

interface Found {
  readonly field: Field;
  readonly pointer: string;
  readonly exact: boolean;
}

function nearest(root: Field, answer: Answer, pointer: string): Found {
  let field = root;
  let current: Answer | undefined = answer;
  let reached = '';
  for (const part of splitPointer(pointer)) {
    const step = stepInto(field, current, part);
    if (step === undefined) return { field, pointer: reached, exact: false };
    field = step.field;
    current = step.answer;
    reached = joinPointer(reached, part);
  }
  return { field, pointer: reached, exact: true };
}

function stepInto(
  field: Field,
  answer: Answer | undefined,
  part: string,
): { field: Field; answer: Answer } | undefined {
  if (answer === undefined || answer.kind === 'json' || answer.state !== 'set') return undefined;
  const { control } = field;
  if (control.kind === 'variants' && answer.kind === 'variants') {
    const inner = control.variants[answer.pick]?.field;
    return inner && stepInto(inner, answer.inner[answer.pick], part);
  }
  if (control.kind === 'object' && answer.kind === 'object') {
    const shown = shownMembers(control, answer).find((one) => one.field.key === part);
    if (shown !== undefined) return { field: shown.field, answer: shown.member };
    const row = answer.rows.find(({ name }) => name === part);
    const value = row && control.more && rowField(control.more, row.name);
    return row && value && { field: value, answer: row.answer };
  }
  if (control.kind === 'again' && answer.kind === 'again')
    return stepInto(control.open(), answer.inner, part);
  if (control.kind === 'tuple' && answer.kind === 'tuple') {
    const index = Number(part);
    const place = control.places[index];
    const given = answer.places[index];
    if (place !== undefined && given !== undefined) return { field: place, answer: given };
    const item = answer.items[index - control.places.length];
    return item && control.rest && { field: control.rest, answer: item.answer };
  }
  if (control.kind === 'list' && answer.kind === 'list') {
    const item = answer.items[Number(part)];
    return item && { field: control.item, answer: item.answer };
  }
  return undefined;
}

/** `item 2: ` or `a/b: `, for what lies inside the field that shows it. */
function insideText(shown: string, target: string, root: Field): string {
  const rest = splitPointer(target.slice(shown.length));
  if (rest.length === 0 || (shown === '' && root.control.kind === 'json')) return '';
  const [only] = rest;
  if (rest.length === 1 && only !== undefined && /^\d+$/.test(only)) return `Item ${Number(only) + 1}: `;
  return `${rest.join('/')}: `;
}

function inPlainWords(complaint: Complaint, field: Field): string {
  switch (complaint.keyword) {
    case 'required':
      return field.control.kind === 'choice' ? 'Choose one.' : 'This is required.';
    case 'format':
      return formatMessage(field) ?? complaint.message;
    case 'enum':
    case 'const':
      return field.control.kind === 'choice' ? 'Choose one of the values.' : complaint.message;
    default:
      return complaint.message;
  }
}

function formatMessage(field: Field): string | undefined {
  if (field.control.kind !== 'text') return undefined;
  switch (field.control.format) {
    case 'email':
    case 'idn-email':
      return 'Enter an email address, like name@example.com.';
    case 'uri':
    case 'url':
    case 'iri':
      return 'Enter a full address with its scheme, like https://example.com.';
    case 'date':
      return 'Enter a date as year-month-day, like 2026-12-31.';
    case 'time':
      return 'Enter a time with its offset, like 14:30:00Z.';
    case 'date-time':
      return 'Enter a date and time with its offset, like 2026-12-31T14:30:00Z.';
    case 'uuid':
      return 'Enter a UUID, like 123e4567-e89b-12d3-a456-426614174000.';
    case undefined:
    default:
      return undefined;
  }
}
