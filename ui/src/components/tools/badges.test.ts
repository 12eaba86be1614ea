import { expect, it } from 'vitest';
import type { ToolView } from '$lib/bindings/ToolView';
import { badgesOf, isDestructive, whyNot } from './badges';

const TOOL: ToolView = {
  index: 0,
  nth: 0,
  name: 'wipe',
  title: null,
  description: null,
  read_only: null,
  destructive: null,
  idempotent: null,
  open_world: null,

  mirrored: [],
  excluded: null,
  mark: null,
  problems: [],
  input_schema: '{}',
  output_schema: null,
};

const texts = (change: Partial<ToolView>, isLegacy = false): string[] =>
  badgesOf({ ...TOOL, ...change }, isLegacy).map(({ text }) => text);

it('a tool is what its server says, and nothing where it says nothing', () => {
  expect(texts({})).toEqual([]);
  expect(texts({ destructive: true, idempotent: true })).toEqual(['destructive', 'idempotent']);
  expect(texts({ read_only: true, destructive: true })).toEqual(['read-only']);
  expect(isDestructive({ ...TOOL, read_only: true, destructive: true })).toBe(false);
});

it('whether it may become a task is said in the legacy era alone', () => {
  expect(texts({ task_support: 'optional' })).toEqual([]);
  expect(texts({ task_support: 'optional' }, true)).toEqual(['may run as a task']);
  expect(texts({ task_support: 'required' }, true)).toEqual(['runs as a task']);
});

it('what cannot be called says why', () => {
  expect(whyNot(TOOL)).toBeUndefined();
  expect(whyNot({ ...TOOL, excluded: 'x-mcp-header' })).toBe('x-mcp-header');
  expect(whyNot({ ...TOOL, name: '' })).toBe('It has no name.');
});
