import type { RecordingView } from '$lib/bindings/RecordingView';
import { byteSize, duration, moment, plural } from '$lib/text/quantity';

/** When, how long and how large: the second line of a recording in a list. */
export function factsOf(view: RecordingView): string {
  const { start_micros: start, end_micros: end } = view;
  const facts = [byteSize(view.byte_len)];
  if (start !== null && end !== null) facts.unshift(moment(start), duration(end - start));
  return facts.join(' · ');
}

/** The same with what is in it, for who has more room. */
export function contentsOf(view: RecordingView): string {
  const contents = [plural(view.event_count, 'event'), plural(view.operation_count, 'operation')];
  if (view.finding_count > 0) contents.push(plural(view.finding_count, 'finding'));
  return contents.join(' · ');
}
