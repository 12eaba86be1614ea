import type { ConnectionView } from '$lib/bindings/ConnectionView';
import type { ListKind } from '$lib/bindings/ListKind';
import type { ListState } from '$lib/bindings/ListState';
import type { ListView } from '$lib/bindings/ListView';
import type { ResourceView } from '$lib/bindings/ResourceView';
import type { ToolView } from '$lib/bindings/ToolView';
import { toolsOf } from './catalog';
import { quick } from './exchanges';
import type { Handlers, Sleep } from './handlers';
import { nowMicros, type FakeJournal } from './journal';
import { complete, expand, PROMPTS, RESOURCES, TEMPLATES } from './offers';
import type { FakeServers } from './servers';

type OfLists =
  | 'tools'
  | 'refresh_tools'
  | 'resources'
  | 'resource_templates'
  | 'prompts'
  | 'fetch_list'
  | 'fetch_more'
  | 'expand_template'
  | 'complete';

const METHODS: Record<ListKind, string> = {
  tools: 'tools/list',
  resources: 'resources/list',
  resource_templates: 'resources/templates/list',
  prompts: 'prompts/list',
};

/** What servers offer: the lists that were fetched, by server. Tests change what comes next. */
export class FakeLists {
  readonly #journal: FakeJournal;
  readonly #servers: FakeServers;
  readonly #sleep: Sleep;
  readonly #fetched = new Map<string, number>();
  /** Instead of the few tools, these. */
  manyTools: ToolView[] | undefined;
  /** Instead of the list, this comes. */
  fails: ListKind | undefined;
  /** What a list holds from the second fetch on. */
  then: { resources?: readonly ResourceView[]; gone?: readonly string[] } = {};

  constructor(journal: FakeJournal, servers: FakeServers, sleep: Sleep) {
    this.#journal = journal;
    this.#servers = servers;
    this.#sleep = sleep;
  }

  /** The tools of a server. */
  tools(server: string): readonly ToolView[] {
    return this.manyTools ?? toolsOf(server);
  }

  /** The list as a view sees it. */
  #view<T>(server: string, kind: Exclude<ListKind, 'tools'>, entries: readonly T[]): ListView<T> {
    const { declared } = this.#servers.get(server).connection[kind];
    const times = this.#fetched.get(`${server} ${kind}`) ?? 0;
    const now = nowMicros();
    const state: ListState =
      times === 0
        ? { kind: 'unasked' }
        : this.fails === kind
          ? {
              kind: 'failed',
              error: {
                code: 'failed',
                message: 'The list could not be fetched (error -32603): the shelf is empty',
                hint: 'Try again; its row shows what the server said.',
              },
            }
          : { kind: 'ready' };
    return {
      state,
      entries: state.kind === 'ready' ? [...entries] : [],
      gone: times > 1 ? [...(this.then.gone ?? [])] : [],
      operation: null,
      declared,
      freshness:
        state.kind === 'ready'
          ? {
              fetched_micros: now,
              fresh_until_micros: now + 60_000_000,
              scope: 'private',
              from_cache: false,
              invalidated: false,
            }
          : null,
    };
  }

  #resources(server: string): readonly ResourceView[] {
    const times = this.#fetched.get(`${server} resources`) ?? 0;
    return times > 1 ? (this.then.resources ?? RESOURCES) : RESOURCES;
  }

  /** The row of a fetch in the timeline. */
  #asked(server: string, method: string, result: object): void {
    quick(
      this.#journal,
      server,
      this.#servers.get(server).name,
      method,
      null,
      nowMicros() - 8_000,
      8_000,
      result,
    );
  }

  #toolsNow(server: string): Pick<ConnectionView, 'tools_version' | 'tool_count'> {
    const { tools_version } = this.#servers.get(server).connection;
    return { tools_version: tools_version + 1, tool_count: toolsOf(server).length };
  }

  #fetch(server: string, list: ListKind): null {
    this.#asked(server, METHODS[list], {});
    if (list === 'tools') {
      this.#servers.change(server, this.#toolsNow(server));
      return null;
    }
    const key = `${server} ${list}`;
    this.#fetched.set(key, (this.#fetched.get(key) ?? 0) + 1);
    const { [list]: before } = this.#servers.get(server).connection;
    const entries = {
      resources: this.#resources(server),
      resource_templates: TEMPLATES,
      prompts: PROMPTS,
    };
    this.#servers.change(server, {
      [list]: { ...before, version: before.version + 1, count: entries[list].length },
    });
    return null;
  }

  readonly handlers: Handlers<OfLists> = {
    tools: ({ server }) => {
      const ready = this.#servers.get(server).connection.tools_version > 0;
      return {
        state: ready ? { kind: 'ready' } : { kind: 'unasked' },
        entries: ready ? [...this.tools(server)] : [],
        gone: [],
        operation: null,
        declared: true,
        freshness: null,
      };
    },
    refresh_tools: ({ server }) => {
      this.#asked(server, METHODS.tools, { tools: [] });
      this.#servers.turn(server, this.#toolsNow(server));
      return null;
    },
    resources: ({ server }) => this.#view(server, 'resources', this.#resources(server)),
    resource_templates: ({ server }) => this.#view(server, 'resource_templates', TEMPLATES),
    prompts: ({ server }) => this.#view(server, 'prompts', PROMPTS),
    fetch_list: ({ server, list }) => this.#fetch(server, list),
    fetch_more: () => null,
    expand_template: ({ uri_template, values }) =>
      expand(uri_template, JSON.parse(values) as Record<string, string>),
    complete: async ({ value }) => {
      await this.#sleep(20);
      return complete(value);
    },
  };
}
