import type { RowDetails } from '$lib/bindings/RowDetails';
import { count } from '$lib/text/quantity';
import type { Tab } from '../primitives/tab';

export type DetailsTab = 'summary' | 'request' | 'response' | 'http' | 'events' | 'raw' | 'findings';

/** The tabs that have something to show for a row. */
export function tabsOf(details: RowDetails): Tab<DetailsTab>[] {
  const tabs: Tab<DetailsTab>[] = [{ value: 'summary', label: 'Summary' }];
  if (details.exchanges.length > 0) {
    tabs.push({ value: 'request', label: 'Request' }, { value: 'response', label: 'Response' });
    if (details.exchanges.some((exchange) => exchange.http !== null))
      tabs.push({ value: 'http', label: 'HTTP' });
  }
  if (details.operation !== null && details.event_count > 0) {
    tabs.push({ value: 'events', label: 'Events', count: count(details.event_count) });
  }
  if (details.event !== null || details.exchanges.length > 0) tabs.push({ value: 'raw', label: 'Raw' });
  if (details.findings.length > 0)
    tabs.push({ value: 'findings', label: 'Findings', count: count(details.findings.length) });
  return tabs;
}
