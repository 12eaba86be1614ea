/** What a person can do to an answer. Each changes the answer in place, so that a reactive proxy notices. */

import { carried } from './carry';
import {
  newItem,
  newRow,
  rowField,
  untouched,
  type Answer,
  type ChoiceAnswer,
  type JsonAnswer,
  type ListAnswer,
  type MultipleAnswer,
  type ObjectAnswer,
  type AgainAnswer,
  type StatedAnswer,
  type TextAnswer,
  type TupleAnswer,
  type VariantsAnswer,
} from './answer';
import type { AgainControl, Field, MoreMembers } from './field';

/** Typing. Clearing leaves the field out, however it began: a default does not come back. */
export function typeText(answer: TextAnswer, text: string): void {
  answer.text = text;
  answer.state = text === '' ? 'unset' : 'set';
}

export function typeJson(answer: JsonAnswer, text: string): void {
  answer.text = text;
}

/** The empty string, on purpose. */
export function sendEmptyText(answer: TextAnswer): void {
  answer.text = '';
  answer.state = 'empty';
}

export function sendNull(answer: StatedAnswer): void {
  answer.state = 'null';
  if (answer.kind === 'text') answer.text = '';
}

/** Nothing is given any more. What was filled in further inside stays, should the person come back to it. */
export function leaveOut(answer: StatedAnswer): void {
  answer.state = 'unset';
  if (answer.kind === 'text') answer.text = '';
  if (answer.kind === 'choice') answer.pick = -1;
  if (answer.kind === 'multiple') answer.picks = [];
  if (answer.kind === 'list') answer.items = [];
}

export function pickOne(answer: ChoiceAnswer | VariantsAnswer, pick: number): void {
  answer.pick = pick;
  answer.state = 'set';
}

/** Takes an option in or out. Taking the last one out leaves the field out. */
export function togglePick(answer: MultipleAnswer, pick: number): void {
  answer.picks = answer.picks.includes(pick)
    ? answer.picks.filter((other) => other !== pick)
    : [...answer.picks, pick];
  answer.state = answer.picks.length === 0 ? 'unset' : 'set';
}

/** The empty list, on purpose. */
export function sendEmptyList(answer: MultipleAnswer | ListAnswer): void {
  if (answer.kind === 'list') answer.items = [];
  else answer.picks = [];
  answer.state = 'set';
}

/** Opens an optional object or list, with the defaults of its fields. */
export function fillIn(answer: ObjectAnswer | TupleAnswer): void {
  answer.state = 'set';
}

/** Opens what holds it once more; what was filled in before is still there. */
export function openAgain(answer: AgainAnswer, control: AgainControl): void {
  answer.inner ??= untouched(control.open());
  answer.state = 'set';
}

/** A member whose name the person gives; the row's number. */
export function addRow(answer: ObjectAnswer, more: MoreMembers): number | undefined {
  const field = rowField(more, '');
  if (field === undefined) return undefined;
  const row = newRow('', untouched(field));
  answer.rows.push(row);
  answer.state = 'set';
  return row.id;
}

/** Another name; where that makes it something else, the value comes along. */
export function renameRow(answer: ObjectAnswer, more: MoreMembers, id: number, name: string): void {
  const row = answer.rows.find((one) => one.id === id);
  if (row === undefined) return;
  const from = rowField(more, row.name);
  const to = rowField(more, name);
  row.name = name;
  if (from !== to && from !== undefined && to !== undefined) {
    row.answer = carried(from, row.answer, to, untouched(to));
  }
}

export function removeRow(answer: ObjectAnswer, id: number): void {
  answer.rows = answer.rows.filter((row) => row.id !== id);
}

export function replaceRow(answer: ObjectAnswer, id: number, next: Answer): void {
  const row = answer.rows.find((one) => one.id === id);
  if (row !== undefined) row.answer = next;
}

export function addItem(answer: ListAnswer | TupleAnswer, item: Field): void {
  answer.items.push(newItem(item));
  answer.state = 'set';
}

/** Removes an item. Removing the last one leaves the field out. */
export function removeItem(answer: ListAnswer | TupleAnswer, id: number): void {
  answer.items = answer.items.filter((item) => item.id !== id);
  if (answer.kind === 'list') answer.state = answer.items.length === 0 ? 'unset' : 'set';
}

/** Moves an item up (-1) or down (1); at the end nothing happens. */
export function moveItem(answer: ListAnswer | TupleAnswer, id: number, by: -1 | 1): void {
  const from = answer.items.findIndex((item) => item.id === id);
  const to = from + by;
  if (from < 0 || to < 0 || to >= answer.items.length) return;
  const items = [...answer.items];
  const [moved] = items.splice(from, 1);
  if (moved !== undefined) items.splice(to, 0, moved);
  answer.items = items;
}

/** Another answer in the place of a member's. */
export function replaceMember(answer: ObjectAnswer, index: number, next: Answer): void {
  answer.members[index] = next;
}

/** Another answer in one of a list's first places. */
export function replacePlace(answer: TupleAnswer, index: number, next: Answer): void {
  answer.places[index] = next;
}

/** Another answer in the place of an item's. */
export function replaceItem(answer: ListAnswer | TupleAnswer, id: number, next: Answer): void {
  const item = answer.items.find((one) => one.id === id);
  if (item !== undefined) item.answer = next;
}

/** Another answer in the place of the chosen variant's. */
export function replaceVariant(answer: VariantsAnswer, next: Answer): void {
  answer.inner[answer.pick] = next;
}
