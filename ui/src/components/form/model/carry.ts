/** What becomes of answers when what was typed makes something else of their fields: nothing that was typed is lost. */

import { isShown } from './conditions';
import { answerFrom, heldBy, rowField, shownMembers, type Answer, type ObjectAnswer } from './answer';
import type { Field, ObjectControl } from './field';
import { readJson, sameJson, type JsonNode } from './json';
import { write } from './write';

/** Conditions may follow from each other; in a circle they are left as they are after this many steps. */
const MOST_STEPS = 8;

/** Looks anew which conditions hold, in this answer and in all inside it. In place, so that a reactive proxy notices. */
export function settle(field: Field, answer: Answer): void {
  const { control } = field;
  if (answer.kind === 'json' || answer.state !== 'set') return;
  if (answer.kind === 'object' && control.kind === 'object') {
    settleMembers(control, answer);
    if (control.conditions !== undefined) settleConditions(field, control, answer);
  } else if (answer.kind === 'list' && control.kind === 'list') {
    for (const item of answer.items) settle(control.item, item.answer);
  } else if (answer.kind === 'tuple' && control.kind === 'tuple') {
    for (const [index, place] of control.places.entries()) {
      const given = answer.places[index];
      if (given !== undefined) settle(place, given);
    }
    for (const item of answer.items) if (control.rest !== undefined) settle(control.rest, item.answer);
  } else if (answer.kind === 'variants' && control.kind === 'variants') {
    const variant = control.variants[answer.pick];
    const inner = answer.inner[answer.pick];
    if (variant !== undefined && inner !== undefined) settle(variant.field, inner);
  } else if (answer.kind === 'again' && control.kind === 'again' && answer.inner !== undefined) {
    settle(control.open(), answer.inner);
  }
}

function settleMembers(control: ObjectControl, answer: ObjectAnswer): void {
  for (const { field, member } of shownMembers(control, answer)) settle(field, member);
  for (const row of answer.rows) {
    const value = control.more && rowField(control.more, row.name);
    if (value !== undefined) settle(value, row.answer);
  }
}

function settleConditions(field: Field, control: ObjectControl, answer: ObjectAnswer): void {
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const value = nodeOf(field, answer);
    if (value === undefined) return;
    const held = heldBy(control, value);
    if (held.every((holds, index) => holds === answer.held[index])) return;
    turn(control, answer, held);
    settleMembers(control, answer);
  }
}

/** Other conditions hold: each member that is now described otherwise takes along what was given. */
function turn(control: ObjectControl, answer: ObjectAnswer, held: boolean[]): void {
  const before = new Map(shownMembers(control, answer).map((shown) => [shown.field.key, shown]));
  answer.held = held;
  for (const [index, field] of control.fields.entries()) {
    const kept = answer.members[index];
    if (field.shown === undefined || kept === undefined || !isShown(field.shown, held)) continue;
    const was = before.get(field.key);
    if (was === undefined) takeNamed(control, answer, field, index);
    else if (was.index !== index) answer.members[index] = carried(was.field, was.member, field, kept);
  }
}

/** A member that had been given though nothing described it. */
function takeNamed(control: ObjectControl, answer: ObjectAnswer, field: Field, index: number): void {
  const extra = answer.extras.find(({ key }) => key === field.key);
  const row = answer.rows.find(({ name }) => name === field.key);
  const from = row && control.more && rowField(control.more, row.name);
  const value = extra === undefined ? row && from && nodeOf(from, row.answer) : read(extra.json);
  if (value === undefined) return;
  answer.members[index] = answerFrom(field, value);
  answer.extras = answer.extras.filter((other) => other !== extra);
  answer.rows = answer.rows.filter((other) => other !== row);
}

/** What was given to one field, given to another; `kept` where nothing was. */
export function carried(from: Field, given: Answer, to: Field, kept: Answer): Answer {
  const isText = given.kind === 'text' && kept.kind === 'text' && from.control.kind === to.control.kind;
  if (isText) return given.state === 'unset' && isDefault(to, kept) ? kept : { ...given };
  const value = nodeOf(from, given);
  if (value !== undefined) return answerFrom(to, value);
  const isHalf = given.kind === 'text' && given.text.trim() !== '';
  return isHalf && to.control.kind === 'json' ? { kind: 'json', text: given.text } : kept;
}

function isDefault(field: Field, answer: Answer): boolean {
  const value = nodeOf(field, answer);
  return field.fallback !== undefined && value !== undefined && sameJson(value, field.fallback);
}

function nodeOf(field: Field, answer: Answer): JsonNode | undefined {
  const { json } = write({ ...field, required: false }, answer);
  return json === undefined ? undefined : read(json);
}

function read(json: string): JsonNode | undefined {
  const reading = readJson(json);
  return reading.ok ? reading.node : undefined;
}
