import type { ServerReport } from '$lib/bindings/ServerReport';

/** Whether a server completes what is typed. The first revision had completion without a capability for it. */
export function completes(report: ServerReport | null): boolean {
  return (
    report !== null && (report.capability_names.includes('completions') || report.revision === '2024-11-05')
  );
}
