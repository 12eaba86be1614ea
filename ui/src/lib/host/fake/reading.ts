import { content, details, mirrors } from './details';
import type { FakeDocuments } from './documents';
import { findingPlaces, findings } from './findings';
import type { Handlers } from './handlers';
import type { FakeJournal } from './journal';

type OfReading =
  | 'findings'
  | 'finding_places'
  | 'row'
  | 'body'
  | 'mirrors'
  | 'event_content'
  | 'body_lines'
  | 'find_lines'
  | 'json_children'
  | 'json_value'
  | 'find_json'
  | 'operation_events';

/** What is in a journal, as a page asks for it. */
export function reading(journal: FakeJournal, documents: FakeDocuments): Handlers<OfReading> {
  return {
    findings: ({ server }) => findings(journal, server),
    finding_places: (args) => findingPlaces(journal, args),
    row: ({ key }) => structuredClone(details(journal, key)),
    body: ({ event, form, limit }) => journal.body(event, form, limit),
    mirrors: ({ operation, exchange }) => ({ headers: mirrors(journal, operation, exchange) }),
    event_content: ({ event }) => content(journal, event),
    body_lines: (args) => documents.lines(args),
    find_lines: (args) => documents.find(args),
    json_children: ({ event, at, start, len }) => documents.children(event, at, start, len),
    json_value: ({ event, at }) => documents.value(event, at),
    find_json: ({ event, text }) => documents.findJson(event, text),
    operation_events: ({ operation, start, len }) =>
      (journal.operations[operation]?.events ?? [])
        .slice(start, start + Math.min(400, len))
        .flatMap((seq) => journal.events[seq]?.line ?? []),
  };
}
