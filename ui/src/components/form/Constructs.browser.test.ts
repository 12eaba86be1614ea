/** Fields that come and go, names of one's own, lists with places, and schemas inside themselves, as a person uses them. */

import { describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { render } from 'vitest-browser-svelte';
import { axeProblems } from '$lib/testing/axe';
import '../../app.css';
import type { Value } from './form-state.svelte';
import SchemaForm from './SchemaForm.svelte';

function open(schema: object, props: object = {}): { value(): Value } {
  const { component } = render(SchemaForm, { schema: JSON.stringify(schema), idPrefix: 'form', ...props });
  return component as unknown as { value(): Value };
}

const delivery = {
  type: 'object',
  properties: {
    how: { enum: ['post', 'pick up'] },
    parcel: { type: 'string' },
    labels: { type: 'object', additionalProperties: { type: 'integer' } },
    size: {
      type: 'array',
      prefixItems: [{ type: 'number', title: 'Width' }, { type: 'number' }],
      items: { type: 'string' },
    },
    inside: { $ref: '#/$defs/Box' },
  },
  if: { properties: { how: { const: 'post' } }, required: ['how'] },
  then: { properties: { street: { type: 'string' }, zip: { type: 'string' } }, required: ['street'] },
  else: { properties: { shop: { enum: ['north', 'south'] } } },
  dependentSchemas: { parcel: { properties: { weight: { type: 'integer' } } } },
  $defs: {
    Box: {
      type: 'object',
      properties: { label: { type: 'string' }, boxes: { type: 'array', items: { $ref: '#/$defs/Box' } } },
    },
  },
};

describe('fields that depend on others', () => {
  it('come and go as they are chosen, and keep what was typed', async () => {
    const form = open(delivery);
    await expect.element(page.getByRole('radiogroup', { name: 'shop' })).toBeVisible();
    await expect.element(page.getByLabelText('street')).not.toBeInTheDocument();
    await page.getByText('post', { exact: true }).click();
    await page.getByLabelText('street').fill('High Street 1');
    await expect.element(page.getByLabelText('street')).toHaveAccessibleName('street (required)');
    await page.getByText('pick up', { exact: true }).click();
    await expect.element(page.getByLabelText('street')).not.toBeInTheDocument();
    await page.getByText('post', { exact: true }).click();
    await expect.element(page.getByLabelText('street')).toHaveValue('High Street 1');
    expect(form.value()).toEqual({ ok: true, json: '{"how":"post","street":"High Street 1"}' });
  });

  it('appear while one types, and the focus stays', async () => {
    const form = open(delivery);
    await page.getByLabelText('parcel').click();
    await userEvent.keyboard('box');
    await expect.element(page.getByLabelText('weight')).toBeVisible();
    await expect.element(page.getByLabelText('parcel')).toHaveFocus();
    await page.getByLabelText('weight').fill('3');
    expect(form.value()).toEqual({ ok: true, json: '{"parcel":"box","weight":3}' });
  });

  it('are the same in the JSON view, both ways', async () => {
    const form = open(delivery);
    await page.getByText('post', { exact: true }).click();
    await page.getByLabelText('street').fill('A');
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    await page.getByLabelText('Arguments as JSON').fill('{"how":"pick up","shop":"south","street":"B"}');
    await page.getByRole('button', { name: 'Show fields' }).click();
    await expect.element(page.getByRole('radio', { name: 'south' })).toBeChecked();
    await expect.element(page.getByText(/Also sent, though the schema does not name it/)).toBeVisible();
    await page.getByText('post', { exact: true }).click();
    await expect.element(page.getByLabelText('street')).toHaveValue('B');
    expect(form.value()).toEqual({ ok: true, json: '{"how":"post","street":"B"}' });
  });
});

describe('names of one’s own', () => {
  it('are added, named and removed by the keyboard alone', async () => {
    const form = open(delivery);
    await page.getByRole('button', { name: 'Fill in labels' }).click();
    await page.getByRole('button', { name: 'Add entry' }).click();
    await expect.element(page.getByLabelText('Name of entry 1')).toHaveFocus();
    await userEvent.keyboard('red{Tab}5');
    await expect.element(page.getByLabelText('Value of red')).toHaveValue('5');
    await page.getByRole('button', { name: 'Add entry' }).click();
    await userEvent.keyboard('red{Tab}6');
    expect(form.value()).toEqual({ ok: false, message: 'labels/red: The name "red" stands here twice.' });
    await page.getByLabelText('Name of entry 2').fill('blue');
    expect(form.value()).toEqual({ ok: true, json: '{"labels":{"red":5,"blue":6}}' });
    await page.getByRole('button', { name: 'Remove red' }).click();
    await expect.element(page.getByRole('button', { name: 'Remove blue' })).toHaveFocus();
    expect(form.value()).toEqual({ ok: true, json: '{"labels":{"blue":6}}' });
  });

  it('may be all that there is', async () => {
    const form = open({ type: 'object', additionalProperties: { type: 'string' } });
    await page.getByRole('button', { name: 'Add entry' }).click();
    await userEvent.keyboard('a{Tab}b');
    expect(form.value()).toEqual({ ok: true, json: '{"a":"b"}' });
  });
});

describe('lists with places', () => {
  it('are filled in place by place', async () => {
    const form = open(delivery);
    await page.getByRole('button', { name: 'Fill in size' }).click();
    await page.getByLabelText('Width').fill('2');
    await page.getByRole('button', { name: 'Add item to size' }).click();
    await userEvent.keyboard('cm');
    expect(form.value()).toEqual({
      ok: false,
      message: 'size/1: Fill this in, or leave out what comes after it.',
    });
    await page.getByLabelText('item 2', { exact: true }).fill('3');
    expect(form.value()).toEqual({ ok: true, json: '{"size":[2,3,"cm"]}' });
    await page.getByRole('button', { name: 'Remove item 3' }).click();
    expect(form.value()).toEqual({ ok: true, json: '{"size":[2,3]}' });
    await page.getByRole('button', { name: 'Leave out size' }).click();
    expect(form.value()).toEqual({ ok: true, json: '{}' });
  });
});

describe('schemas inside themselves', () => {
  it('open one level after the other', async () => {
    const form = open(delivery);
    await page.getByRole('button', { name: 'Fill in inside' }).click();
    await page.getByRole('textbox', { name: 'label' }).fill('outer');
    await page.getByRole('button', { name: 'Add item to boxes' }).click();
    await page.getByRole('textbox', { name: 'label' }).nth(1).fill('inner');
    await page.getByRole('button', { name: 'Add item to boxes' }).first().click();
    await page.getByRole('textbox', { name: 'label' }).nth(2).fill('innermost');
    expect(form.value()).toEqual({
      ok: true,
      json: '{"inside":{"label":"outer","boxes":[{"label":"inner","boxes":[{"label":"innermost"}]}]}}',
    });
  });
});

describe('the JSON view', () => {
  it('suggests names and values of the schema, by the keyboard', async () => {
    const form = open(delivery);
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const text = page.getByLabelText('Arguments as JSON');
    await text.fill('{');
    await userEvent.keyboard('ho');
    const list = page.getByRole('listbox', { name: 'Suggestions of the schema' });
    await expect.element(list).toHaveTextContent('how');
    await userEvent.keyboard('{Enter}');
    await userEvent.keyboard('{Control>} {/Control}');
    await expect.element(list.getByRole('option', { name: 'pick up' })).toBeVisible();
    await userEvent.keyboard('{ArrowDown}{Enter}');
    await expect.element(text).toHaveValue('{"how": "pick up"');
    await userEvent.keyboard('}');
    expect(form.value()).toEqual({ ok: true, json: '{"how":"pick up"}' });
    await expect.element(list).not.toBeInTheDocument();
  });
});

describe('axe finds nothing', () => {
  it.each(['columns', 'stacked'])('laid out in %s', async (layout) => {
    const form = open(delivery, { layout });
    await page.getByText('post', { exact: true }).click();
    for (const name of ['labels', 'size', 'inside'])
      await page.getByRole('button', { name: `Fill in ${name}` }).click();
    await page.getByRole('button', { name: 'Add entry' }).click();
    await page.getByRole('button', { name: 'Add item to boxes' }).click();
    form.value();
    expect(await axeProblems()).toEqual([]);
  });
});
