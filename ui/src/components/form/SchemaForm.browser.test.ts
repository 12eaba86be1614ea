/** The form as a person uses it: by label, by keyboard, by eye and by screen reader. */

import { beforeEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { render } from 'vitest-browser-svelte';
import type { FieldError } from '$lib/bindings/FieldError';
import { axeProblems } from '$lib/testing/axe';
import { setHost } from '$lib/host/host';
import '../../app.css';
import type { KeptForm, Value } from './form-state.svelte';
import SchemaForm from './SchemaForm.svelte';

type Checked = Value | { ok: false; message: string; json: string };

/** What the form offers to whoever holds it. */
interface FormHandle {
  value(): Value;
  check(): Promise<Checked>;
  showErrors(errors: FieldError[]): void;
  focusFirstInvalid(): void;
  dirty(): boolean;
  keep(): KeptForm;
}

function open(schema: object | string, props: object = {}): { component: FormHandle; unmount: () => void } {
  const text = typeof schema === 'string' ? schema : JSON.stringify(schema);
  const { component, unmount } = render(SchemaForm, { schema: text, idPrefix: 'form', ...props });
  return { component: component as unknown as FormHandle, unmount: () => void unmount() };
}

function of(properties: Record<string, unknown>, ...required: string[]): object {
  return { type: 'object', properties, required };
}

const everything = of(
  {
    query: { type: 'string', description: 'What to look for', minLength: 1 },
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    ratio: { type: ['number', 'null'] },
    force: { type: 'boolean' },
    mode: { enum: ['fast', 'exact', 3, null] },
    country: { enum: ['Austria', 'Belgium', 'Czechia', 'Denmark', 'Estonia', 'Finland', 'Greece', 'Italy'] },
    fields: { type: 'array', items: { enum: ['name', 'address'] } },
    body: { type: 'string', maxLength: 4000 },
    when: { type: 'string', format: 'date-time' },
    tags: { type: 'array', items: { type: 'string' }, default: ['new'] },
    place: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] },
    spot: { type: 'object', properties: { x: { type: 'string' } } },
    shape: {
      anyOf: [
        { title: 'Circle', type: 'object', properties: { r: { type: 'number' } } },
        { title: 'Square', type: 'object', properties: { side: { type: 'number' } } },
      ],
    },
    rows: {
      type: 'array',
      items: { type: 'object', properties: { key: { type: 'string' } } },
      default: [{ key: 'a' }],
    },
    extra: {},
  },
  'query',
  'place',
);

describe('labels and help', () => {
  it('every control is found by its name', async () => {
    const { component } = open(
      of({ city: { type: 'string', description: 'Where to' }, nights: { type: 'integer' } }, 'city'),
      { notes: { '/city': 'sent as Mcp-Param-City header' } },
    );
    const city = page.getByLabelText('city');
    await expect.element(city).toHaveAccessibleName('city (required)');
    await expect.element(city).toHaveAccessibleDescription('Where to sent as Mcp-Param-City header');
    await expect.element(page.getByLabelText('nights')).toHaveAttribute('placeholder', 'not sent');
    await city.fill('Rome');
    expect(component.value()).toEqual({ ok: true, json: '{"city":"Rome"}' });
  });

  it('in a prompt, titles are the labels and yes is yes', async () => {
    const { component } = open(of({ remind: { type: 'boolean', title: 'Remind me' } }), {
      layout: 'stacked',
    });
    await page.getByRole('radiogroup', { name: 'Remind me' }).getByText('Yes').click();
    expect(component.value()).toEqual({ ok: true, json: '{"remind":true}' });
  });

  it.each(['columns', 'stacked'])('axe finds nothing, laid out in %s', async (layout) => {
    const { component } = open(everything, { layout });
    expect(await axeProblems()).toEqual([]);
    component.value();
    await page.getByRole('combobox', { name: 'country' }).click();
    expect(await axeProblems()).toEqual([]);
    await page.getByRole('button', { name: layout === 'columns' ? 'Edit as JSON' : 'Show JSON' }).click();
    expect(await axeProblems()).toEqual([]);
  });
});

describe('the keyboard', () => {
  it('fills a form from top to bottom', async () => {
    let submitted = 0;
    const { component } = open(
      of({ city: { type: 'string' }, nights: { type: 'integer' }, breakfast: { type: 'boolean' } }, 'city'),
      { onsubmit: () => (submitted += 1) },
    );
    await userEvent.tab();
    await userEvent.keyboard('Rome');
    await userEvent.tab();
    await userEvent.keyboard('3{ArrowUp}');
    await userEvent.tab();
    await userEvent.keyboard('{ArrowUp}{ArrowUp} ');
    await userEvent.keyboard('{Control>}{Enter}{/Control}');
    expect(component.value()).toEqual({ ok: true, json: '{"city":"Rome","nights":4,"breakfast":true}' });
    expect(submitted).toBe(1);
  });

  it('adds, moves and removes items, and the focus stays with them', async () => {
    const { component } = open(of({ tags: { type: 'array', items: { type: 'string' } } }));
    await page.getByRole('button', { name: 'Add item to tags' }).click();
    await userEvent.keyboard('one');
    await page.getByRole('button', { name: 'Add item to tags' }).click();
    await userEvent.keyboard('two');
    await expect.element(page.getByLabelText('tags, item 2')).toHaveValue('two');
    await page.getByRole('button', { name: 'Move item 2 up' }).click();
    expect(component.value()).toEqual({ ok: true, json: '{"tags":["two","one"]}' });
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Move item 1 down');
    await page.getByRole('button', { name: 'Remove item 1' }).click();
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Remove item 1');
    await userEvent.keyboard('{Enter}');
    expect(document.activeElement?.textContent).toContain('Add item');
    expect(component.value()).toEqual({ ok: true, json: '{}' });
  });

  it('searches among many values', async () => {
    const { component } = open(everything);
    const country = page.getByRole('combobox', { name: 'country' });
    await country.click();
    await expect.element(country).toHaveAttribute('aria-expanded', 'true');
    await userEvent.keyboard('en');
    await expect.element(page.getByRole('option', { name: 'Denmark' })).toBeVisible();
    await userEvent.keyboard('{Enter}');
    await expect.element(country).toHaveValue('Denmark');
    await expect.element(country).toHaveAttribute('aria-expanded', 'false');
    await userEvent.keyboard('zz{Escape}');
    await expect.element(country).toHaveValue('Denmark');
    await country.fill('');
    await userEvent.tab();
    await expect.element(country).toHaveValue('');
    await page.getByLabelText('lat').fill('1');
    expect(component.value()).toMatchObject({ ok: true });
    expect(JSON.stringify(component.value())).not.toContain('country');
  });

  it('opens more lines for a line end', async () => {
    const { component } = open(of({ note: { type: 'string' } }));
    await page.getByLabelText('note').fill('ab');
    await userEvent.keyboard('{ArrowLeft}{Shift>}{Enter}{/Shift}x');
    expect(component.value()).toEqual({ ok: true, json: '{"note":"a\\nxb"}' });
    expect(document.activeElement?.tagName).toBe('TEXTAREA');
  });
});

describe('what is sent', () => {
  it('nothing, null and the empty text are three things', async () => {
    const { component } = open(of({ note: { type: ['string', 'null'] } }));
    expect(component.value()).toEqual({ ok: true, json: '{}' });
    await page.getByLabelText('note', { exact: true }).click();
    await page.getByRole('button', { name: 'Send empty text' }).click();
    expect(component.value()).toEqual({ ok: true, json: '{"note":""}' });
    await page.getByRole('button', { name: 'Send null' }).click();
    expect(component.value()).toEqual({ ok: true, json: '{"note":null}' });
    await page.getByRole('button', { name: 'Send null' }).click();
    expect(component.value()).toEqual({ ok: true, json: '{}' });
  });

  it('an optional object is opened and left out again', async () => {
    const { component } = open(of({ spot: { type: 'object', properties: { x: { type: 'string' } } } }));
    await page.getByRole('button', { name: 'Fill in spot' }).click();
    await page.getByLabelText('x', { exact: true }).fill('1');
    expect(component.value()).toEqual({ ok: true, json: '{"spot":{"x":"1"}}' });
    await page.getByRole('button', { name: 'Leave out spot' }).click();
    expect(component.value()).toEqual({ ok: true, json: '{}' });
  });

  it('a value that does not fit its field is kept as JSON, until the person prefers the field', async () => {
    const { component } = open(of({ size: { type: 'integer' } }), { initial: '{"size":"big","more":[1]}' });
    expect(component.value()).toEqual({ ok: true, json: '{"size":"big","more":[1]}' });
    await page.getByRole('button', { name: 'Use the field of size' }).click();
    await page.getByLabelText('size').fill('7');
    expect(component.value()).toEqual({ ok: true, json: '{"size":7,"more":[1]}' });
  });

  it('changes are told, with the JSON or with null while something is in the way', async () => {
    const told: (string | null)[] = [];
    open(of({ size: { type: 'integer' } }), { onchange: (json: string | null) => told.push(json) });
    await page.getByLabelText('size').fill('1');
    await page.getByLabelText('size').fill('1.');
    await page.getByLabelText('size').fill('');
    await expect.poll(() => told).toEqual(['{"size":1}', null, '{}']);
  });

  it('dirty knows what changed and what came back', async () => {
    const { component } = open(of({ size: { type: 'integer', default: 3 } }));
    expect(component.dirty()).toBe(false);
    await page.getByLabelText('size').fill('4');
    expect(component.dirty()).toBe(true);
    await page.getByLabelText('size').fill('3');
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    expect(component.dirty()).toBe(false);
  });

  it('a form that was left opens as it was', async () => {
    const schema = of({ size: { type: 'integer' }, free: {} });
    const first = open(schema);
    await page.getByLabelText('size').fill('1,5');
    await page.getByLabelText('free').fill('{oops');
    const kept = first.component.keep();
    first.unmount();
    open(schema, { kept });
    await expect.element(page.getByLabelText('size')).toHaveValue('1,5');
    await expect.element(page.getByLabelText('free')).toHaveValue('{oops');
  });
});

describe('errors', () => {
  it('stand at their field, and the first is focused', async () => {
    const { component } = open(
      of({ a: { type: 'string' }, size: { type: 'integer' }, ratio: { type: 'number' } }, 'size'),
    );
    await page.getByLabelText('ratio').fill('.5');
    expect(component.value()).toEqual({ ok: false, message: 'size: Enter a whole number.' });
    component.focusFirstInvalid();
    const size = page.getByLabelText('size');
    await expect.element(size).toHaveFocus();
    await expect.element(size).toHaveAttribute('aria-invalid', 'true');
    await expect.element(size).toHaveAccessibleDescription('Enter a whole number.');
    await expect.element(page.getByText('JSON writes this number as 0.5.')).toBeVisible();
    await size.fill('1');
    await expect.element(size).not.toHaveAttribute('aria-invalid');
  });

  it('a JSON field is judged when it is left, and blocks', async () => {
    const { component } = open(of({ free: {}, next: { type: 'string' } }));
    await page.getByLabelText('free').fill('{oops');
    await expect.element(page.getByLabelText('free')).not.toHaveAttribute('aria-invalid');
    await page.getByLabelText('next').click();
    await expect.element(page.getByLabelText('free')).toHaveAttribute('aria-invalid', 'true');
    expect(component.value()).toMatchObject({ ok: false });
  });

  it('of the validator come in plain words, also for choices and items', async () => {
    const { component } = open(
      of({
        email: { type: 'string', format: 'email' },
        mode: { enum: ['a', 'b'] },
        rows: { type: 'array', items: { type: 'string' }, default: ['x', 'y'] },
      }),
      { initial: '{"email":"ana@","rows":["x","y"]}' },
    );
    component.showErrors([
      { pointer: '/mode', keyword: 'required', message: 'This is required.' },
      { pointer: '/rows/1', keyword: 'minLength', message: 'Enter at least 3 characters.' },
      { pointer: '/email', keyword: 'format', message: 'is not an email' },
    ]);
    await expect.element(page.getByLabelText('email')).toHaveFocus();
    await expect.element(page.getByText('Enter an email address, like name@example.com.')).toBeVisible();
    await expect
      .element(page.getByRole('radiogroup', { name: 'mode' }))
      .toHaveAttribute('aria-invalid', 'true');
    await expect
      .element(page.getByLabelText('rows, item 2'))
      .toHaveAccessibleDescription('Enter at least 3 characters.');
  });
});

describe('the core’s validator', () => {
  let errors: FieldError[] = [];
  const asked: unknown[] = [];
  beforeEach(() => {
    errors = [];
    asked.length = 0;
    setHost({
      rpc: (_name: string, args: unknown) => {
        asked.push(args);
        return Promise.resolve({ errors, schema_problem: null });
      },
      attach: () => Promise.resolve(() => undefined),
      popOut: () => Promise.resolve(),
      closeAsked: () => Promise.resolve(),
      pickFolders: () => Promise.resolve([]),
    });
  });

  it('is asked with the very text that would be sent', async () => {
    const schema = JSON.stringify(of({ n: { type: 'number' } }));
    const { component } = open(schema);
    await page.getByLabelText('n', { exact: true }).fill('1.10');
    expect(await component.check()).toEqual({ ok: true, json: '{"n":1.10}' });
    expect(asked).toEqual([{ schema, value: '{"n":1.10}' }]);
  });

  it('is heard at the field; the value can still be sent', async () => {
    const { component } = open(of({ n: { type: 'number' } }), { initial: '{"n":9}' });
    errors = [{ pointer: '/n', keyword: 'maximum', message: 'Enter 5 or less.' }];
    expect(await component.check()).toEqual({ ok: false, message: 'Enter 5 or less.', json: '{"n":9}' });
    await expect.element(page.getByLabelText('n', { exact: true })).toHaveFocus();
  });

  it('is not asked about what cannot be written', async () => {
    const { component } = open(of({ n: { type: 'number' } }, 'n'));
    expect(await component.check()).toEqual({ ok: false, message: 'n: Enter a number.' });
    expect(asked).toEqual([]);
  });
});

describe('fields and JSON', () => {
  it('go there and back, and what was typed stays as it was typed', async () => {
    const { component } = open(of({ name: { type: 'string' }, n: { type: 'number' } }));
    await page.getByLabelText('name').fill('x');
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const text = page.getByLabelText('Arguments as JSON');
    await expect.element(text).toHaveValue('{\n  "name": "x"\n}');
    await expect.element(text).toHaveFocus();
    const typed = '{ "n": 1.10,   "name": "\\u0078", "extra": 9007199254740993 }';
    await text.fill(typed);
    await page.getByRole('button', { name: 'Show fields' }).click();
    await expect.element(page.getByLabelText('name')).toHaveValue('x');
    await expect.element(page.getByText('extra')).toBeVisible();
    expect(component.value()).toEqual({ ok: true, json: '{"name":"x","n":1.10,"extra":9007199254740993}' });
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    await expect.element(text).toHaveValue(typed);
  });

  it('JSON that is none stays in the JSON view, with its line and column', async () => {
    const { component } = open(of({ name: { type: 'string' } }));
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const text = page.getByLabelText('Arguments as JSON');
    await text.fill('{\n  "name": oops\n}');
    await page.getByRole('button', { name: 'Show fields' }).click();
    await expect.element(text).toHaveFocus();
    await expect.element(text).toHaveAccessibleDescription(/^Line 2, column 11: /);
    expect(component.value()).toMatchObject({ ok: false });
    await text.fill('{"name": "ok"}');
    await expect.element(text).not.toHaveAttribute('aria-invalid');
    expect(component.value()).toEqual({ ok: true, json: '{"name":"ok"}' });
  });

  it('what cannot be written goes there and back as well', async () => {
    open(of({ n: { type: 'number' }, s: { type: 'string' } }));
    await page.getByLabelText('n', { exact: true }).fill('1,5');
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    await expect.element(page.getByLabelText('Arguments as JSON')).toHaveValue('{\n  "n": 1,5\n}');
    await page.getByRole('button', { name: 'Show fields' }).click();
    await expect.element(page.getByLabelText('n', { exact: true })).toHaveValue('1,5');
  });

  it('a schema that is none says so, and takes JSON', async () => {
    const { component } = open('true');
    await expect.element(page.getByText(/The schema is “true”/)).toBeVisible();
    await page.getByLabelText('Arguments as JSON').fill('{"a": [1,\n2]}');
    expect(component.value()).toEqual({ ok: true, json: '{"a":[1,2]}' });
    await page.getByLabelText('Arguments as JSON').fill('[]');
    expect(component.value()).toMatchObject({ ok: false });
  });
});

describe('hostile schemas', () => {
  it('are drawn as text', async () => {
    open({
      type: 'object',
      properties: {
        '<img src=x onerror=alert(1)>': { type: 'string', description: '<b>bold</b> \u202e' },
        '': { type: 'string' },
        __proto__: { type: 'string' },
      },
    });
    await expect.element(page.getByText('<b>bold</b> ⟨U+202E⟩')).toBeVisible();
    expect(document.querySelector('img')).toBeNull();
  });
});
