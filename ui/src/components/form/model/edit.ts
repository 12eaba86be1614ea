/** What a person can do to an answer. Each changes the answer in place, so that a reactive proxy notices. */

import {
  newItem,
  type Answer,
  type ChoiceAnswer,
  type JsonAnswer,
  type ListAnswer,
  type MultipleAnswer,
  type ObjectAnswer,
  type TextAnswer,
  type VariantsAnswer,
} from './answer';
import type { Field } from './field';

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

export function sendNull(
  answer: TextAnswer | ChoiceAnswer | MultipleAnswer | ObjectAnswer | ListAnswer | VariantsAnswer,
): void {
  answer.state = 'null';
  if (answer.kind === 'text') answer.text = '';
}

/** Nothing is given any more. What was filled in further inside stays, should the person come back to it. */
export function leaveOut(
  answer: TextAnswer | ChoiceAnswer | MultipleAnswer | ObjectAnswer | ListAnswer | VariantsAnswer,
): void {
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

/** Opens an optional object, with the defaults of its fields. */
export function fillIn(answer: ObjectAnswer): void {
  answer.state = 'set';
}

export function addItem(answer: ListAnswer, item: Field): void {
  answer.items.push(newItem(item));
  answer.state = 'set';
}

/** Removes an item. Removing the last one leaves the field out. */
export function removeItem(answer: ListAnswer, id: number): void {
  answer.items = answer.items.filter((item) => item.id !== id);
  answer.state = answer.items.length === 0 ? 'unset' : 'set';
}

/** Moves an item up (-1) or down (1); at the end nothing happens. */
export function moveItem(answer: ListAnswer, id: number, by: -1 | 1): void {
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

/** Another answer in the place of an item's. */
export function replaceItem(answer: ListAnswer, id: number, next: Answer): void {
  const item = answer.items.find((one) => one.id === id);
  if (item !== undefined) item.answer = next;
}

/** Another answer in the place of the chosen variant's. */
export function replaceVariant(answer: VariantsAnswer, next: Answer): void {
  answer.inner[answer.pick] = next;
}
