import type { CallOutcome } from '$lib/bindings/CallOutcome';
import type { ErrorView } from '$lib/bindings/ErrorView';
import type { SubscriptionView } from '$lib/bindings/SubscriptionView';
import { errorView, type Host } from '$lib/host/host';

/** That a resource that is subscribed to changed, and how. */
export interface Change {
  readonly atMicros: number;
  /** Absent where it had not been read before. */
  readonly before: CallOutcome | undefined;
  readonly after: CallOutcome;
}

/** How many changes of one resource are kept. */
const MOST_KEPT = 20;

/** One resource that is looked at. */
export class Watch {
  subscription: SubscriptionView | undefined = $state.raw();
  /** The newest first. */
  changes: readonly Change[] = $state.raw([]);
  error: ErrorView | undefined = $state.raw();
  isBusy = $state(false);
  /** What it held when it was read last. */
  last: CallOutcome | undefined;
  /** How many of the server's words about it have been followed. */
  seen = 0;

  get told(): number {
    return this.subscription?.updates.reduce((sum, { count }) => sum + count, 0) ?? 0;
  }
}

/** The resources of one server that are, or were, subscribed to. */
export class Watches {
  readonly #host: Host;
  readonly #server: string;
  readonly #all = new Map<string, Watch>();

  constructor(host: Host, server: string) {
    this.#host = host;
    this.#server = server;
  }

  of(uri: string): Watch {
    let watch = this.#all.get(uri);
    if (watch === undefined) {
      watch = new Watch();
      this.#all.set(uri, watch);
    }
    return watch;
  }

  async subscribe(uri: string): Promise<void> {
    await this.#act(uri, async () => {
      const filter = {
        tools_list_changed: false,
        prompts_list_changed: false,
        resources_list_changed: false,
        resources: [uri],
        tasks: [],
      };
      await this.#host.rpc('subscribe', { server: this.#server, filter });
      this.of(uri).seen = 0;
      await this.look(uri);
    });
  }

  async unsubscribe(uri: string): Promise<void> {
    const { subscription } = this.of(uri);
    if (subscription === undefined) return;
    await this.#act(uri, async () => {
      await this.#host.rpc('unsubscribe', { operation: subscription.operation });
      await this.look(uri);
    });
  }

  /** Asks what is known of its subscription. */
  async look(uri: string): Promise<void> {
    const watch = this.of(uri);
    try {
      const { subscriptions } = await this.#host.rpc('subscriptions', { server: this.#server });
      watch.subscription = subscriptions.findLast(({ wanted }) => wanted.resources.includes(uri));
    } catch (thrown) {
      watch.error = errorView(thrown);
    }
  }

  /** Reads again what the server says has changed; `read` gives what is there now. */
  async follow(uri: string, read: () => Promise<CallOutcome | undefined>): Promise<void> {
    const watch = this.of(uri);
    while (watch.told > watch.seen) {
      watch.seen = watch.told;
      const atMicros = watch.subscription?.updates.at(-1)?.at_micros ?? 0;
      const before = watch.last;
      const after = await read();
      if (after === undefined) return;
      watch.last = after;
      watch.changes = [{ atMicros, before, after }, ...watch.changes].slice(0, MOST_KEPT);
    }
  }

  async #act(uri: string, act: () => Promise<void>): Promise<void> {
    const watch = this.of(uri);
    watch.isBusy = true;
    watch.error = undefined;
    try {
      await act();
    } catch (thrown) {
      watch.error = errorView(thrown);
    }
    watch.isBusy = false;
  }
}
