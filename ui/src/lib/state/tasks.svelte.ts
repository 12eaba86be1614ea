import type { TaskView } from '$lib/bindings/TaskView';
import type { TasksPatch } from '$lib/bindings/TasksPatch';
import { errorView, type Host } from '$lib/host/host';
import type { ErrorView } from '$lib/bindings/ErrorView';

/** How a task stands for a person, in the order in which tasks are listed. */
export type TaskGroup = 'needs_you' | 'running' | 'unfollowed' | 'over';

export function groupOf(task: TaskView): TaskGroup {
  if (task.standing === 'over' || task.standing === 'lost' || task.standing === 'expired') return 'over';
  if (task.standing !== 'followed') return 'unfollowed';
  return task.open_prompts > 0 ? 'needs_you' : 'running';
}

/** Figures of some tasks. */
export interface TaskCounts {
  readonly all: number;
  /** That are followed and go on. */
  readonly running: number;
  /** Of these, that wait for the person. */
  readonly needsYou: number;
}

const ORDER: Record<TaskGroup, number> = { needs_you: 0, running: 1, unfollowed: 2, over: 3 };

/** Running first, and of the same kind the newest first: a poll moves no line. */
export function inOrder(tasks: Iterable<TaskView>): TaskView[] {
  return [...tasks].sort(
    (left, right) => ORDER[groupOf(left)] - ORDER[groupOf(right)] || right.number - left.number,
  );
}

export function countsOf(tasks: Iterable<TaskView>): TaskCounts {
  let all = 0;
  let running = 0;
  let needsYou = 0;
  for (const task of tasks) {
    all += 1;
    const group = groupOf(task);
    if (group === 'needs_you' || group === 'running') running += 1;
    if (group === 'needs_you') needsYou += 1;
  }
  return { all, running, needsYou };
}

/** The tasks that the core knows, of all servers. */
export class Tasks {
  readonly #host: Host;
  readonly #known = new Map<number, TaskView>();
  /** Counts up with each change: the tasks themselves are plain data. */
  #version = $state(0);
  /** The page shows the tasks of all servers, not only the chosen one's. */
  ofAll = $state(false);
  /** The task whose line has the focus, by number. */
  chosen: number | null = $state(null);
  /** What was refused last, and of which task. */
  refusal: { number: number | null; error: ErrorView } | null = $state.raw(null);

  /** All of them, in order. */
  readonly all = $derived.by(() => {
    void this.#version;
    return inOrder(this.#known.values());
  });
  readonly counts = $derived(countsOf(this.all));

  constructor(host: Host) {
    this.#host = host;
  }

  apply({ whole, changed, gone }: TasksPatch): void {
    if (whole) this.#known.clear();
    for (const number of gone) this.#known.delete(number);
    for (const task of changed) this.#known.set(task.number, task);
    this.#version += 1;
  }

  of(server: string): TaskView[] {
    return this.all.filter((task) => task.server === server);
  }

  async #act<T>(task: TaskView | null, action: () => Promise<T>): Promise<T | undefined> {
    this.refusal = null;
    try {
      return await action();
    } catch (error) {
      this.refusal = { number: task?.number ?? null, error: errorView(error) };
      return undefined;
    }
  }

  async poll(task: TaskView): Promise<void> {
    await this.#act(task, () => this.#host.rpc('poll_task', { server: task.server, task: task.task }));
  }

  async cancel(task: TaskView): Promise<void> {
    await this.#act(task, () => this.#host.rpc('cancel_task', { server: task.server, task: task.task }));
  }

  async setPaused(task: TaskView, isPaused: boolean): Promise<void> {
    await this.#act(task, () =>
      this.#host.rpc('pace_task', {
        server: task.server,
        task: task.task,
        is_paused: isPaused,
        interval_millis: task.own_interval_millis,
        is_forced: task.is_forced,
      }),
    );
  }

  /** Throws what the core says against it. */
  async setInterval(task: TaskView, intervalMillis: number | null, isForced: boolean): Promise<void> {
    await this.#host.rpc('pace_task', {
      server: task.server,
      task: task.task,
      is_paused: task.is_paused,
      interval_millis: intervalMillis,
      is_forced: isForced,
    });
  }

  async cancelAll(server: string | null): Promise<void> {
    await this.#act(null, () => this.#host.rpc('cancel_tasks', { server }));
  }

  /** Gives how many were known. */
  async forget(tasks: readonly TaskView[]): Promise<number> {
    const count = await this.#act(tasks.length === 1 ? (tasks[0] ?? null) : null, () =>
      this.#host.rpc('forget_tasks', { tasks: tasks.map(({ server, task }) => ({ server, task })) }),
    );
    return count ?? 0;
  }

  /** Brings back what was forgotten. */
  async recall(tasks: readonly TaskView[]): Promise<void> {
    await this.#act(null, () =>
      this.#host.rpc('recall_tasks', { tasks: tasks.map(({ server, task }) => ({ server, task })) }),
    );
  }

  /** Adds a handle by hand. Throws what the core says against it. */
  async add(server: string, task: string): Promise<void> {
    await this.#host.rpc('poll_task', { server, task });
  }
}
