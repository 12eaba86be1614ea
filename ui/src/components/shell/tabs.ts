import type { WorkbenchTab } from '$lib/state/preferences.svelte';

/** The workbench's pages in their order; the first nine have Ctrl with their number. */
export const WORKBENCH_TABS: readonly { value: WorkbenchTab; label: string }[] = [
  { value: 'overview', label: 'Overview' },
  { value: 'tools', label: 'Tools' },
  { value: 'resources', label: 'Resources' },
  { value: 'prompts', label: 'Prompts' },
  { value: 'tasks', label: 'Tasks' },
  { value: 'logs', label: 'Logs' },
  { value: 'findings', label: 'Findings' },
  { value: 'composer', label: 'Composer' },
];
