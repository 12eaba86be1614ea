import type { RecordingView } from '$lib/bindings/RecordingView';
import type { Retention } from '$lib/bindings/Retention';
import type { RetentionPlan } from '$lib/bindings/RetentionPlan';
import type { Arguments, CommandName, Reply } from '../host';
import { details } from './details';
import { FakeDocuments } from './documents';
import { failure } from './failure';
import type { Handlers } from './handlers';
import { FakeJournal, nowMicros } from './journal';
import { reading } from './reading';
import { fill } from './story';
import { FakeTimeline } from './timeline';

const DAY = 86_400_000_000;

type OfRecordings =
  | 'recordings'
  | 'open_recording'
  | 'close_recording'
  | 'name_recording'
  | 'delete_recording'
  | 'retention'
  | 'plan_retention'
  | 'set_retention';

/** The recordings of a core in the page. */
export class FakeRecordings {
  all: RecordingView[] = [recording({ id: 'running.mcpr', state: 'running', end_micros: nowMicros() })];
  limits: Retention = { total_mib: null, days: null };
  /** What opening one says of it, by its identity. */
  readonly notes = new Map<string, string[]>();
  removedAtStart: RetentionPlan | null = null;
  readonly #opened = new Map<string, Partial<Handlers>>();

  /** As after some days of work. */
  tell(): void {
    const now = nowMicros();
    this.all.push(
      recording({
        id: '2026-11-28 16.40.12 4f1c.mcpr',
        name: 'checkout bug',
        server_names: ['restaurant-bookings'],
        start_micros: now - DAY - 3_600_000_000,
        end_micros: now - DAY - 3_000_000_000,
        finding_count: 3,
      }),
      recording({
        id: '2026-11-27 09.12.55 77a0.mcpr',
        server_names: ['filesystem', 'restaurant-bookings'],
        start_micros: now - 2 * DAY,
        end_micros: now - 2 * DAY + 754_000_000,
        byte_len: 3_400_000,
      }),
      recording({
        id: '2026-11-20 11.30.02 b0b0.mcpr',
        server_names: ['billing-staging'],
        start_micros: now - 9 * DAY,
        end_micros: now - 9 * DAY + 42_000_000,
        byte_len: 812,
        problem: 'It is damaged: what comes after cannot be read.',
      }),
    );
    this.notes.set('2026-11-20 11.30.02 b0b0.mcpr', [
      'The recording is damaged at byte 790. What was recorded before is shown; the file is left as it is.',
    ]);
  }

  readonly handlers: Handlers<OfRecordings> = {
    recordings: () => ({
      recordings: this.all,
      folder: '/home/ana/.local/share/roundtrip/recordings',
      removed_at_start: this.removedAtStart,
    }),
    open_recording: ({ recording: id }) => ({ view: this.#get(id), notes: this.notes.get(id) ?? [] }),
    close_recording: () => null,
    name_recording: ({ recording: id, name }) => {
      this.#get(id);
      this.all = this.all.map((one) =>
        one.id === id ? { ...one, name: name === null || name.trim() === '' ? null : name.trim() } : one,
      );
      return null;
    },
    delete_recording: ({ recording: id }) => {
      if (this.#get(id).state !== 'past') {
        throw failure('failed', 'The running session is written to this recording.');
      }
      this.all = this.all.filter((one) => one.id !== id);
      return null;
    },
    retention: () => this.limits,
    plan_retention: ({ retention }) => this.#plan(retention),
    set_retention: ({ retention }) => {
      this.limits = retention;
      const plan = this.#plan(retention);
      this.all = this.all.filter((one) => !plan.recordings.includes(one));
      return plan;
    },
  };

  /** The answer to a command that names a recording; undefined for all others. */
  read<K extends CommandName>(name: K, args: Arguments<K>): Reply<K> | Promise<Reply<K>> | undefined {
    if (!('recording' in args) || typeof args.recording !== 'string' || name in this.handlers)
      return undefined;
    const handlers = this.#past(args.recording);
    return handlers[name]?.(structuredClone(args));
  }

  #get(id: string): RecordingView {
    const found = this.all.find((one) => one.id === id);
    if (found === undefined) throw failure('gone', `The recording ${id} is not there any more.`);
    return found;
  }

  /** What answers for a past session. */
  #past(id: string): Partial<Handlers> {
    const { start_micros, event_count } = this.#get(id);
    let past = this.#opened.get(id);
    if (past === undefined) {
      const journal = new FakeJournal();
      fill(journal, Math.min(event_count, 40), (start_micros ?? 0) + 60_000_000);
      past = {
        ...new FakeTimeline(journal).handlers,
        ...reading(journal, new FakeDocuments(journal)),
        row: ({ key }) => ({ ...structuredClone(details(journal, key)), cancellable: false }),
      };
      this.#opened.set(id, past);
    }
    return past;
  }

  #plan({ total_mib, days }: Retention): RetentionPlan {
    const oldest = days === null ? 0 : nowMicros() - days * DAY;
    const unnamed = this.all
      .filter((one) => one.state === 'past' && one.name === null && one.problem === null)
      .sort((a, b) => (a.end_micros ?? 0) - (b.end_micros ?? 0));
    let rest = unnamed.reduce((sum, one) => sum + one.byte_len, 0);
    const recordings = unnamed.filter((one) => {
      const goes = (one.end_micros ?? 0) < oldest || (total_mib !== null && rest > total_mib * 1024 * 1024);
      if (goes) rest -= one.byte_len;
      return goes;
    });
    return {
      recordings,
      byte_len: recordings.reduce((sum, one) => sum + one.byte_len, 0),
      named: this.all.filter((one) => one.name !== null).length,
      problems: [],
    };
  }
}

export function recording(given: Partial<RecordingView>): RecordingView {
  return {
    id: 'a.mcpr',
    name: null,
    state: 'past',
    server_names: [],
    start_micros: nowMicros() - 600_000_000,
    end_micros: nowMicros(),
    event_count: 1204,
    operation_count: 40,
    finding_count: 0,
    byte_len: 412_000,
    problem: null,
    ...given,
  };
}
