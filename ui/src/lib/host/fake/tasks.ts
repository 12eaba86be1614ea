import type { TaskView } from '$lib/bindings/TaskView';
import type { TasksPatch } from '$lib/bindings/TasksPatch';
import type { Arguments } from '../host';
import { failure } from './failure';

const SECOND = 1_000_000;

/** A task as a server tells it. */
function view(number: number, now: number, change: Partial<TaskView>): TaskView {
  return {
    number,
    server: 'bookings',
    server_name: 'restaurant-bookings',
    task: `${(0x7865 + number * 977).toString(16)}12e2-9e0d-44bd-8f29-789f320f${(0xe840 + number).toString(16)}`,
    title: 'import_menu',
    operation: null,
    is_followed: true,
    standing: 'followed',
    design: 'extension',
    status: 'working',
    status_message: null,
    end_brief: null,
    end_message: null,
    created_at: '2026-11-30T10:30:00Z',
    last_updated_at: '2026-11-30T10:30:00Z',
    known_micros: now - 95 * SECOND,
    seen_micros: now,
    ttl_millis: 3_600_000,
    expires_micros: now + 58 * 60 * SECOND,
    poll_interval_millis: 5000,
    own_interval_millis: null,
    is_forced: false,
    is_paused: false,
    is_listened: false,
    next_poll_micros: now + 3_200_000,
    polls: 12,
    failed_polls: 0,
    problem: null,
    open_prompts: 0,
    is_cancel_asked: false,
    cancel_refusal: null,
    result_byte_len: null,
    ...change,
  };
}

/** The tasks of the fake core. */
export class FakeTasks {
  readonly all = new Map<number, TaskView>();
  #changed = new Set<number>();
  #gone: number[] = [];
  #whole = true;
  #next = 1;
  #forgotten: TaskView[] = [];
  #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The tasks of the design's picture, or so many. `operation` is what the first of them belongs to. */
  begin(tasks: boolean | number, operation: number): void {
    const now = this.#now();
    if (typeof tasks === 'number') {
      for (let index = 0; index < tasks; index += 1) {
        this.add({ title: index % 7 === 0 ? 'export_bookings' : 'import_menu', operation });
      }
      return;
    }
    const over = {
      next_poll_micros: null,
      expires_micros: null,
      is_followed: false,
      standing: 'over',
    } as const;
    this.add({
      ...over,
      title: 'nightly_sync',
      status: 'failed',
      end_brief: 'error -32603',
      end_message: 'upstream timed out',
      operation,
      known_micros: now - 7800 * SECOND,
    });
    this.add({
      ...over,
      status: 'completed',
      result_byte_len: 2150,
      operation,
      known_micros: now - 3600 * SECOND,
    });
    this.add({
      title: 'rebuild_index',
      ttl_millis: null,
      expires_micros: null,
      is_cancel_asked: true,
      next_poll_micros: now + 800_000,
      operation,
    });
    this.add({ title: 'import_menu', status_message: 'importing row 40 of 100', operation });
    this.add({
      title: 'export_bookings',
      status: 'input_required',
      open_prompts: 1,
      expires_micros: now + 12 * 60 * SECOND,
      operation,
    });
  }

  add(change: Partial<TaskView>): TaskView {
    const task = view(this.#next, this.#now(), change);
    this.#next += 1;
    this.all.set(task.number, task);
    this.#changed.add(task.number);
    return task;
  }

  change(number: number, change: Partial<TaskView>): void {
    const task = this.all.get(number);
    if (task === undefined) return;
    this.all.set(number, { ...task, ...change });
    this.#changed.add(number);
  }

  /** A view has come that knows nothing. */
  attached(): void {
    this.#whole = true;
    this.#gone = [];
    this.#changed = new Set(this.all.keys());
  }

  get hasNews(): boolean {
    return this.#whole || this.#changed.size > 0 || this.#gone.length > 0;
  }

  patch(): TasksPatch | null {
    if (!this.hasNews) return null;
    const changed = [...this.#changed].flatMap((number) => this.all.get(number) ?? []);
    const patch = { whole: this.#whole, changed, gone: this.#gone };
    this.#whole = false;
    this.#changed = new Set();
    this.#gone = [];
    return patch;
  }

  #find(server: string, id: string): TaskView {
    const found = [...this.all.values()].find((task) => task.server === server && task.task === id);
    if (found === undefined) throw failure('gone', `The task ${id} is not known here.`);
    return found;
  }

  poll({ server, task }: Arguments<'poll_task'>, serverName: string): number {
    const id = task.trim();
    if (id === '') throw failure('bad_input', 'The task has no identifier.');
    const known = [...this.all.values()].find((one) => one.server === server && one.task === id);
    if (known === undefined) {
      this.add({ server, server_name: serverName, task: id, title: '', known_micros: this.#now(), polls: 1 });
      return 0;
    }
    this.change(known.number, { polls: known.polls + 1, next_poll_micros: this.#now() + 5 * SECOND });
    return known.operation ?? 0;
  }

  cancel({ server, task }: Arguments<'cancel_task'>): number {
    const known = this.#find(server, task);
    this.change(
      known.number,
      known.is_cancel_asked
        ? { standing: 'let_go', is_followed: false, next_poll_micros: null }
        : { is_cancel_asked: true, open_prompts: 0 },
    );
    return known.operation ?? 0;
  }

  cancelAll({ server }: Arguments<'cancel_tasks'>): number {
    const going = [...this.all.values()].filter(
      (task) =>
        (server === null || task.server === server) && task.standing === 'followed' && !task.is_cancel_asked,
    );
    for (const task of going) this.cancel(task);
    return going.length;
  }

  pace(args: Arguments<'pace_task'>): null {
    const known = this.#find(args.server, args.task);
    const named = known.poll_interval_millis;
    const own = args.interval_millis;
    if (own !== null && named !== null && own < named && !args.is_forced) {
      throw failure('bad_input', `The server wants polls to be ${named} ms apart.`);
    }
    this.change(known.number, {
      is_paused: args.is_paused,
      own_interval_millis: own,
      is_forced: args.is_forced,
      next_poll_micros: args.is_paused ? null : this.#now() + (own ?? named ?? 1000) * 1000,
    });
    return null;
  }

  forget({ tasks }: Arguments<'forget_tasks'>): number {
    const meant = tasks.map(({ server, task }) => this.#find(server, task));
    this.#forgotten.push(...meant);
    for (const { number } of meant) {
      this.all.delete(number);
      this.#changed.delete(number);
      this.#gone.push(number);
    }
    return meant.length;
  }

  recall({ tasks }: Arguments<'recall_tasks'>): number {
    const isMeant = (one: TaskView): boolean =>
      tasks.some(({ server, task }) => one.server === server && one.task === task);
    const back = this.#forgotten.filter(isMeant);
    this.#forgotten = this.#forgotten.filter((one) => !isMeant(one));
    for (const task of back) {
      this.all.set(task.number, task);
      this.#changed.add(task.number);
    }
    return back.length;
  }
}
