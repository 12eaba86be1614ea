import type { CallOutcome } from '$lib/bindings/CallOutcome';
import type { ErrorView } from '$lib/bindings/ErrorView';
import type { ToolList } from '$lib/bindings/ToolList';
import type { ToolView } from '$lib/bindings/ToolView';
import { errorView, type Host } from '$lib/host/host';
import type { LeftTools } from './reload';

/** A call that ends within this time is drawn once, with its end. */
const QUICK_MILLIS = 40;
/** A call that runs longer is shown to be running; until then the one before stays in sight. */
const SLOW_MILLIS = 80;

/** One call of a tool, from the press of the button on. */
export class Call {
  readonly id: number;
  readonly startedMicros: number;
  /** Absent until the core has made the operation. */
  operation: number | null = $state(null);
  outcome: CallOutcome | null = $state.raw(null);
  error: ErrorView | null = $state.raw(null);
  cancelling = $state(false);
  /** It has run so long that the person is told. */
  slow = $state(false);
  /** Its view has been made once. */
  seen = false;
  /** Those that had ended when it began: they stay in sight until it is drawn. */
  replaces: readonly Call[] = [];

  constructor(id: number, startedMicros: number) {
    this.id = id;
    this.startedMicros = startedMicros;
  }

  get running(): boolean {
    return this.outcome === null && this.error === null;
  }
}

/** What is kept of a tool while the app runs: what was filled in, and its calls. */
export class ToolMemory {
  /** The form as it was left, in its own terms. */
  kept: object | undefined;
  /** The same without secrets, for the page that comes next. */
  left: object | undefined;
  /** The newest first: those that run, and those that have ended since the last one began. */
  calls: Call[] = $state.raw([]);
  /** What is drawn of them: one that has just begun does not yet take the place of those before. */
  shown = $derived.by(() => {
    const worthy = this.calls.filter((call) => !call.running || call.slow);
    return worthy.filter((call) => !worthy.some((later) => later.replaces.includes(call)));
  });

  begin(call: Call): void {
    const kept = this.calls.filter((one) => one.running || this.shown.includes(one));
    call.replaces = kept.filter((one) => !one.running);
    this.calls = [call, ...kept];
    setTimeout(() => (call.slow = true), SLOW_MILLIS);
  }
}

/** Runs what can wait until the person has seen what is drawn now. */
function afterPaint(run: () => void): void {
  // A page that nobody sees is not painted.
  if (document.hidden) setTimeout(run);
  else requestAnimationFrame(() => setTimeout(run));
}

/** A tool's identity across versions of the list: its name, and which of those with that name. */
export function toolKey(tools: readonly ToolView[], tool: ToolView): string {
  let nth = 0;
  for (const other of tools) {
    if (other.index === tool.index) break;
    if (other.name === tool.name) nth += 1;
  }
  return nth === 0 ? tool.name : `${tool.name}\u0000${nth}`;
}

/** Whether a tool has all the words of a filter in its name, title or description. */
export function toolMatches(tool: ToolView, filter: string): boolean {
  const text = `${tool.name} ${tool.title ?? ''} ${tool.description ?? ''}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The tools of one server. */
export class ServerTools {
  readonly server: string;
  list: ToolList | null = $state.raw(null);
  error: ErrorView | null = $state.raw(null);
  loading = $state(false);
  filter = $state('');
  /** The chosen tool's key. */
  chosen: string | null = $state(null);

  shown = $derived.by(() => (this.list?.tools ?? []).filter((tool) => toolMatches(tool, this.filter)));
  chosenTool = $derived.by(() => {
    const tools = this.list?.tools ?? [];
    return tools.find((tool) => toolKey(tools, tool) === this.chosen);
  });

  readonly #host: Host;
  #version: string | undefined;
  #memories = new Map<string, ToolMemory>();
  #nextCall = 1;

  constructor(host: Host, server: string) {
    this.#host = host;
    this.server = server;
  }

  memory(key: string): ToolMemory {
    let memory = this.#memories.get(key);
    if (memory === undefined) {
      memory = new ToolMemory();
      this.#memories.set(key, memory);
    }
    return memory;
  }

  /** What the next page is to know. */
  leave(): LeftTools {
    const memories = [...this.#memories];
    return {
      chosen: this.chosen,
      forms: memories.flatMap(([key, { left }]) => (left === undefined ? [] : [[key, left] as const])),
      calls: memories.flatMap(([key, memory]) =>
        memory.calls.flatMap(({ operation, startedMicros }) =>
          operation === null ? [] : [{ key, operation, startedMicros }],
        ),
      ),
    };
  }

  /** Goes on from where the page before was: its calls are found again by their operations. */
  resume(left: LeftTools): void {
    this.chosen = left.chosen;
    for (const [key, kept] of left.forms) {
      const memory = this.memory(key);
      memory.kept = memory.left = kept;
    }
    for (const { key, operation, startedMicros } of [...left.calls].reverse()) {
      void this.#follow(key, operation, startedMicros);
    }
  }

  async #follow(key: string, operation: number, startedMicros: number): Promise<void> {
    try {
      const { title } = await this.#host.rpc('row', { key: `o${operation}` });
      // A core that was started anew counts from the start: its operation of this number may be another.
      if (title !== `tools/call ${key.split('\u0000')[0] ?? key}`) return;
      const call = new Call(this.#nextCall, startedMicros);
      this.#nextCall += 1;
      call.operation = operation;
      call.seen = true;
      this.memory(key).begin(call);
      call.slow = true;
      call.outcome = await this.#host.rpc('outcome', { operation });
    } catch {
      // It is gone; the timeline has what is left of it.
      const memory = this.memory(key);
      memory.calls = memory.calls.filter((call) => call.operation !== operation);
    }
  }

  /** Whether a call waits for its end. */
  get isCalling(): boolean {
    return [...this.#memories.values()].some((memory) => memory.calls.some((call) => call.running));
  }

  /** The server's list has this version now, which no other list of its has; reads it when that is news. */
  async sync(version: string): Promise<void> {
    if (version === this.#version) return;
    this.#version = version;
    this.loading = true;
    try {
      const list = await this.#host.rpc('tools', { server: this.server });
      if (version !== this.#version) return;
      this.list = list;
      this.error = null;
      if (this.chosenTool === undefined) {
        const first = list.tools[0];
        this.chosen = first === undefined ? null : toolKey(list.tools, first);
      }
    } catch (error) {
      if (version !== this.#version) return;
      this.error = errorView(error);
    }
    this.loading = false;
  }

  /** Asks the server for its list again. */
  async refresh(): Promise<void> {
    try {
      await this.#host.rpc('refresh_tools', { server: this.server });
      this.error = null;
    } catch (error) {
      this.error = errorView(error);
    }
  }

  /** Calls a tool; `begun` hears of the operation as soon as it exists. */
  async call(
    tool: ToolView,
    args: string,
    nowMicros: number,
    begun: (operation: number) => void,
  ): Promise<void> {
    const call = new Call(this.#nextCall, nowMicros);
    this.#nextCall += 1;
    this.memory(toolKey(this.list?.tools ?? [], tool)).begin(call);
    try {
      const { operation, outcome } = await this.#host.rpc('call_tool', {
        server: this.server,
        tool: tool.index,
        name: tool.name,
        arguments: args,
        outcome_within_millis: QUICK_MILLIS,
      });
      call.operation = operation;
      if (outcome === null) {
        begun(operation);
        call.outcome = await this.#host.rpc('outcome', { operation });
      } else {
        call.outcome = outcome;
        afterPaint(() => begun(operation));
      }
    } catch (error) {
      call.error = errorView(error);
    }
  }

  async cancel(call: Call): Promise<void> {
    if (call.operation === null || call.cancelling) return;
    call.cancelling = true;
    try {
      await this.#host.rpc('cancel', { operation: call.operation });
    } catch (error) {
      call.error = errorView(error);
    }
    call.cancelling = false;
  }
}
