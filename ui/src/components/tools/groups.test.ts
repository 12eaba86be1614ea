import { expect, it } from 'vitest';
import type { ToolView } from '$lib/bindings/ToolView';
import { groupedTools, prefixOf } from './groups';

it('the prefix is what stands before the first separator', () => {
  expect(
    ['github_create', 'fs.read', 'a/b', 'ns::call', 'get-all', 'echo', '_hidden', 'x_', ''].map(prefixOf),
  ).toEqual(['github', 'fs', 'a', 'ns', 'get', undefined, undefined, undefined, undefined]);
});

it('a prefix of one tool is no group, and no tool is lost', () => {
  const tools = ['db_read', 'echo', 'db_write', 'fs_list', 'sum'].map(
    (name, index) => ({ name, index, nth: 0 }) as ToolView,
  );
  const groups = groupedTools(tools).map(({ name, entries }) => [name, entries.map((tool) => tool.name)]);
  expect(groups).toEqual([
    ['db', ['db_read', 'db_write']],
    ['Others', ['echo', 'fs_list', 'sum']],
  ]);
  expect(groupedTools([])).toEqual([]);
});
