import type { ToolView } from '$lib/bindings/ToolView';
import type { Host } from '$lib/host/host';
import { ServerList, type ListSort } from './lists.svelte';
import type { LeftTools } from './reload';
import { QUICK_MILLIS, Runs, type Call, type Memory } from './runs.svelte';

const TOOLS: ListSort<ToolView> = {
  kind: 'tools',
  read: (host, server) => host.rpc('tools', { server }),
  name: (tool) => tool.name,
  words: (tool) => `${tool.name} ${tool.title ?? ''} ${tool.description ?? ''}`,
};

/** The tools of one server. */
export class ServerTools extends ServerList<ToolView> {
  readonly #runs: Runs;

  constructor(host: Host, server: string) {
    super(host, server, TOOLS);
    this.#runs = new Runs(host);
  }

  /** Whether a call waits for its end. */
  get isCalling(): boolean {
    return this.#runs.isCalling;
  }

  memory(key: string): Memory {
    return this.#runs.memory(key);
  }

  /** What the next page is to know. */
  leave(): LeftTools {
    return { chosen: this.chosen, ...this.#runs.leave() };
  }

  /** Goes on from where the page before was. */
  resume(left: LeftTools): void {
    this.chosen = left.chosen;
    this.#runs.resume(left, (key) => `tools/call ${key.split('\u0000')[0] ?? key}`);
  }

  /** Calls a tool; `begun` hears of the operation as soon as it exists. */
  async call(
    tool: ToolView,
    args: string,
    how: { asTask: boolean },
    nowMicros: number,
    begun: (operation: number) => void,
  ): Promise<void> {
    const start = (): ReturnType<typeof this.host.rpc<'call_tool'>> =>
      this.host.rpc('call_tool', {
        server: this.server,
        tool: tool.index,
        name: tool.name,
        arguments: args,
        outcome_within_millis: QUICK_MILLIS,
        as_task: how.asTask,
      });
    await this.#runs.run(this.keyOf(tool), nowMicros, start, begun);
  }

  async cancel(call: Call): Promise<void> {
    await this.#runs.cancel(call);
  }
}
