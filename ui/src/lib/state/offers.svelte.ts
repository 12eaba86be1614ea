import type { CompletionTarget } from '$lib/bindings/CompletionTarget';
import type { CompletionView } from '$lib/bindings/CompletionView';
import type { OfferedPromptView } from '$lib/bindings/OfferedPromptView';
import type { ResourceTemplateView } from '$lib/bindings/ResourceTemplateView';
import type { ResourceView } from '$lib/bindings/ResourceView';
import type { Host } from '$lib/host/host';
import { ServerList, type ListSort } from './lists.svelte';
import { Runs } from './runs.svelte';
import { Watches } from './watches.svelte';

const RESOURCES: ListSort<ResourceView> = {
  kind: 'resources',
  read: (host, server) => host.rpc('resources', { server }),
  name: (resource) => resource.uri,
  words: ({ uri, name, title, description, mime_type }) =>
    `${uri} ${name} ${title ?? ''} ${description ?? ''} ${mime_type ?? ''}`,
};

const TEMPLATES: ListSort<ResourceTemplateView> = {
  kind: 'resource_templates',
  read: (host, server) => host.rpc('resource_templates', { server }),
  name: (template) => template.uri_template,
  words: ({ uri_template, name, title, description }) =>
    `${uri_template} ${name} ${title ?? ''} ${description ?? ''}`,
};

const PROMPTS: ListSort<OfferedPromptView> = {
  kind: 'prompts',
  read: (host, server) => host.rpc('prompts', { server }),
  name: (prompt) => prompt.name,
  words: ({ name, title, description }) => `${name} ${title ?? ''} ${description ?? ''}`,
};

/** What a server offers beside tools. */
export class ServerOffers {
  readonly server: string;
  readonly resources: ServerList<ResourceView>;
  readonly templates: ServerList<ResourceTemplateView>;
  readonly prompts: ServerList<OfferedPromptView>;
  /** Readings by URI, gettings by the prompt's key. */
  readonly reads: Runs;
  readonly gets: Runs;
  /** Which resources are subscribed to, and how they changed. */
  readonly watches: Watches;
  /** Which of the two lists of resources is in sight. */
  part: 'resources' | 'templates' = $state('resources');

  readonly #host: Host;

  constructor(host: Host, server: string) {
    this.#host = host;
    this.server = server;
    this.resources = new ServerList(host, server, RESOURCES);
    this.templates = new ServerList(host, server, TEMPLATES);
    this.prompts = new ServerList(host, server, PROMPTS);
    this.reads = new Runs(host);
    this.gets = new Runs(host);
    this.watches = new Watches(host, server);
  }

  get isCalling(): boolean {
    return this.reads.isCalling || this.gets.isCalling;
  }

  /** Reads what is at a URI; past the cache when `refresh`. */
  async read(
    key: string,
    uri: string,
    refresh: boolean,
    nowMicros: number,
    begun: (operation: number) => void,
  ): Promise<void> {
    const start = async (): Promise<{ operation: number; outcome: null }> => ({
      operation: await this.#host.rpc('read_resource', { server: this.server, uri, refresh }),
      outcome: null,
    });
    await this.reads.run(key, nowMicros, start, begun);
  }

  /** Gets a prompt with these arguments. */
  async get(
    prompt: OfferedPromptView,
    given: Readonly<Record<string, string>>,
    nowMicros: number,
    begun: (operation: number) => void,
  ): Promise<void> {
    const start = async (): Promise<{ operation: number; outcome: null }> => ({
      operation: await this.#host.rpc('get_prompt', {
        server: this.server,
        prompt: prompt.index,
        name: prompt.name,
        arguments: JSON.stringify(given),
      }),
      outcome: null,
    });
    await this.gets.run(this.prompts.keyOf(prompt), nowMicros, start, begun);
  }

  /** What the server suggests for what is typed. */
  async complete(
    target: CompletionTarget,
    argument: string,
    value: string,
    others: Readonly<Record<string, string>>,
  ): Promise<CompletionView> {
    const context = Object.fromEntries(
      Object.entries(others).filter(([name, text]) => name !== argument && text !== ''),
    );
    return this.#host.rpc('complete', {
      server: this.server,
      target,
      argument,
      value,
      context: JSON.stringify(context),
    });
  }
}
