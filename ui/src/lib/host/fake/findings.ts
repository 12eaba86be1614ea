import type { FindingPlaces } from '$lib/bindings/FindingPlaces';
import type { FindingPlacesArgs } from '$lib/bindings/FindingPlacesArgs';
import type { FindingsView } from '$lib/bindings/FindingsView';
import type { Finding } from '$lib/bindings/Finding';
import type { FakeJournal, FakeOperation } from './journal';

function found(journal: FakeJournal, server: string): { operation: FakeOperation; finding: Finding }[] {
  return journal.operations
    .filter((operation) => operation.server === server)
    .flatMap((operation) => operation.findings.map((finding) => ({ operation, finding })));
}

const WEIGHT = { must: 0, should: 1, note: 2 };

export function findings(journal: FakeJournal, server: string): FindingsView {
  const rules = new Map<string, FindingsView['rules'][number]>();
  for (const { operation, finding } of found(journal, server)) {
    const at = operation.row.start_micros;
    const before = rules.get(finding.rule);
    rules.set(finding.rule, {
      last: finding,
      count: (before?.count ?? 0) + 1,
      first_micros: before?.first_micros ?? at,
      last_micros: at,
    });
  }
  return {
    rules: [...rules.values()].sort(
      (left, right) => WEIGHT[left.last.severity] - WEIGHT[right.last.severity] || right.count - left.count,
    ),
  };
}

export function findingPlaces(journal: FakeJournal, args: FindingPlacesArgs): FindingPlaces {
  const places = found(journal, args.server)
    .map(({ operation, finding }, seq) => ({
      seq,
      at_micros: operation.row.start_micros,
      message: finding.message,
      operation: operation.id,
      title: `${operation.row.label} ${operation.row.detail ?? ''}`.trim(),
      rule: finding.rule,
    }))
    .filter(({ rule }) => rule === args.rule)
    .slice(args.start, args.start + args.len);
  return { places: places.map(({ rule: _, ...place }) => place) };
}
