/**
 * Every construct of the restricted schema that forms are asked with (client/elicitation, both revisions), and what is near
 * it: what is drawn, and what is sent for which answers. `validate.rs` in the core runs over the same table and says what it
 * has against each of these.
 */

import { describe, expect, it } from 'vitest';
import * as edit from './edit';
import { VISIBLE_OPTIONS } from './field';
import { Form } from './form-driver';
import table from './restricted.json';

interface Case {
  says: string;
  /** JSON text, so that digits are as they are written. */
  schema: string;
  /** What a person does, one thing after the other: what, to which field, and how. */
  do: [string, string, (string | number)?][];
  /** What goes out … */
  sent?: string;
  /** … and what the core's validator has against it: at which field, by which keyword. */
  refused?: [string, string][];
  /** Or the fields that keep it from going out. */
  blocked?: string[];
  control?: Record<string, object>;
  labels?: Record<string, string[]>;
  hints?: Record<string, string[]>;
  ignored?: Record<string, string[]>;
  /** Whether all values of a choice are seen at once. */
  visible?: Record<string, boolean>;
  order?: string[];
}

function act(form: Form, [what, name, how]: Case['do'][number]): void {
  switch (what) {
    case 'type':
      form.type(name, String(how));
      return;
    case 'pick':
      edit.pickOne(form.choice(name), Number(how));
      return;
    case 'toggle':
      edit.togglePick(form.multiple(name), Number(how));
      return;
    case 'clear':
      edit.leaveOut(form.choice(name));
      return;
    case 'empty':
      if (form.control(name).kind === 'multiple') edit.sendEmptyList(form.multiple(name));
      else edit.sendEmptyText(form.text(name));
      return;
    default:
      throw new Error(`nobody can ${what}`);
  }
}

describe('a form that is asked', () => {
  it.each(table as Case[])('$says', (one) => {
    const form = new Form(one.schema);
    for (const [name, control] of Object.entries(one.control ?? {})) {
      expect(form.control(name)).toMatchObject(control);
    }
    for (const [name, labels] of Object.entries(one.labels ?? {})) expect(form.labels(name)).toEqual(labels);
    for (const [name, hints] of Object.entries(one.hints ?? {}))
      expect(form.field(name).hints).toEqual(hints);
    for (const [name, ignored] of Object.entries(one.ignored ?? {})) {
      expect(form.field(name).ignored).toEqual(ignored);
    }
    for (const [name, visible] of Object.entries(one.visible ?? {})) {
      expect(form.labels(name).length <= VISIBLE_OPTIONS).toBe(visible);
    }
    if (one.order !== undefined) {
      const { control } = form.root;
      expect(control.kind === 'object' && control.fields.map(({ key }) => key)).toEqual(one.order);
    }
    for (const step of one.do) act(form, step);
    if (one.blocked !== undefined) {
      expect(form.problems().map(({ pointer }) => pointer)).toEqual(one.blocked);
    } else {
      expect(form.sent()).toBe(one.sent);
    }
  });
});
