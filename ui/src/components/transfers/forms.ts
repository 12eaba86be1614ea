import type { ExportForm } from '$lib/bindings/ExportForm';

/** What can be exported, in words. */
export const FORMS: readonly { value: ExportForm; label: string; says: string }[] = [
  {
    value: 'recording',
    label: 'Recording (.mcpr.gz)',
    says: 'Everything, compressed: opened in Roundtrip again.',
  },
  { value: 'json_lines', label: 'JSON lines (.jsonl)', says: 'Everything, an event a line: for scripts.' },
  { value: 'har', label: 'HAR 1.2 (.har)', says: 'The HTTP exchanges: for the network tools of browsers.' },
  {
    value: 'page',
    label: 'Page (.html)',
    says: 'The timeline to be read, in one file that needs no network.',
  },
  { value: 'summary', label: 'Summary (.md)', says: 'What happened and what failed: for an issue report.' },
];
