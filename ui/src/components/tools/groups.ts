import type { ToolView } from '$lib/bindings/ToolView';
import type { Group } from '../lists/group';

/** What stands before the first separator of a name: `github` of `github_create_issue`, `fs` of `fs.read`. */
export function prefixOf(name: string): string | undefined {
  const found = /^([\p{L}\p{N}]+)(?:[_\-./:]|::)[\p{L}\p{N}]/u.exec(name);
  return found?.[1];
}

/** Tools under what their names begin with, where at least two begin so; the others last. */
export function groupedTools(tools: readonly ToolView[]): readonly Group<ToolView>[] {
  const groups = new Map<string, ToolView[]>();
  const others: ToolView[] = [];
  for (const tool of tools) {
    const prefix = prefixOf(tool.name);
    if (prefix === undefined) {
      others.push(tool);
      continue;
    }
    const group = groups.get(prefix);
    if (group === undefined) groups.set(prefix, [tool]);
    else group.push(tool);
  }
  const named: Group<ToolView>[] = [];
  const single: ToolView[] = [];
  for (const [name, entries] of groups) {
    if (entries.length > 1) named.push({ name, entries });
    else single.push(...entries);
  }
  const rest = [...single, ...others].sort((a, b) => a.index - b.index);
  if (rest.length > 0) named.push({ name: named.length === 0 ? 'All' : 'Others', entries: rest });
  return named;
}
