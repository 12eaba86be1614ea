import type { SubscriptionView } from '$lib/bindings/SubscriptionView';
import type { Handlers } from './handlers';
import { failure } from './failure';
import { nowMicros } from './journal';
import type { FakeServers } from './servers';

type OfSubscriptions = 'subscribe' | 'unsubscribe' | 'subscriptions';

/** What is subscribed to; a test says when a resource changes. */
export class FakeSubscriptions {
  all: readonly SubscriptionView[] = [];
  readonly #servers: FakeServers;
  #next = 900_000;

  constructor(servers: FakeServers) {
    this.#servers = servers;
  }

  /** The server tells of a change. */
  change(uri: string): void {
    this.all = this.all.map((one) => {
      if (!one.wanted.resources.includes(uri)) return one;
      const count = (one.updates[0]?.count ?? 0) + 1;
      return { ...one, updates: [{ uri, count, at_micros: nowMicros() }] };
    });
    for (const { server } of this.all) this.#tell(server);
  }

  #tell(server: string): void {
    const { connection } = this.#servers.get(server);
    const subscriptions_version = connection.subscriptions_version + 1;
    this.#servers.set(server, { connection: { ...connection, subscriptions_version } });
  }

  readonly handlers: Handlers<OfSubscriptions> = {
    subscribe: ({ server, filter }) => {
      this.#next += 1;
      const operation = this.#next;
      this.all = [
        ...this.all,
        { server, operation, wanted: filter, agreed: filter, updates: [], is_open: true },
      ];
      this.#tell(server);
      return operation;
    },
    unsubscribe: ({ operation }) => {
      const gone = this.all.find((one) => one.operation === operation);
      if (gone === undefined) throw failure('gone', 'This subscription has ended already.');
      this.all = this.all.filter((one) => one !== gone);
      this.#tell(gone.server);
      return null;
    },
    subscriptions: ({ server }) => ({
      subscriptions: this.all.filter((one) => server === null || one.server === server),
    }),
  };
}
