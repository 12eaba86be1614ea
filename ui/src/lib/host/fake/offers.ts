import type { CompletionView } from '$lib/bindings/CompletionView';
import type { ListKind } from '$lib/bindings/ListKind';
import type { ListState } from '$lib/bindings/ListState';
import type { ListView } from '$lib/bindings/ListView';
import type { OfferedPromptView } from '$lib/bindings/OfferedPromptView';
import type { ResourceTemplateView } from '$lib/bindings/ResourceTemplateView';
import type { ResourceView } from '$lib/bindings/ResourceView';
import { nowMicros } from './journal';

const resource = (more: Partial<ResourceView>): ResourceView => ({
  index: 0,
  nth: 0,
  mark: null,
  uri: '',
  name: '',
  title: null,
  description: null,
  mime_type: null,
  size: null,
  last_modified: null,
  problems: [],
  ...more,
});

export const RESOURCES: readonly ResourceView[] = [
  resource({
    uri: 'bookings://menu/lunch',
    name: 'lunch',
    title: 'Lunch menu',
    description: 'What the kitchen serves at noon.',
    mime_type: 'text/markdown',
    size: 84,
  }),
  resource({ uri: 'bookings://rules', name: 'rules', title: 'House rules', mime_type: 'text/plain' }),
  resource({
    uri: 'bookings://rules',
    name: 'rules',
    nth: 1,
    problems: ['An earlier resource has the same URI.'],
  }),
  resource({ name: 'nowhere', problems: ['It has no uri.'] }),
].map((one, index) => ({ ...one, index }));

export const TEMPLATES: readonly ResourceTemplateView[] = [
  {
    index: 0,
    nth: 0,
    mark: null,
    uri_template: 'bookings://restaurants/{name}/menu{?course}',
    name: 'menu',
    title: 'A restaurant’s menu',
    description: 'The server completes the name.',
    mime_type: 'text/markdown',
    variables: [
      { name: 'name', exploded: false, detachable: false },
      { name: 'course', exploded: false, detachable: true },
    ],
    malformed: null,
    problems: [],
  },
  {
    index: 1,
    nth: 0,
    mark: null,
    uri_template: 'bookings://broken/{name',
    name: 'broken',
    title: null,
    description: null,
    mime_type: null,
    variables: [],
    malformed: 'The URI template is malformed at character 19: the { is not closed.',
    problems: ['The URI template is malformed at character 19: the { is not closed.'],
  },
];

export const PROMPTS: readonly OfferedPromptView[] = [
  {
    index: 0,
    nth: 0,
    mark: null,
    name: 'write_review',
    title: 'Write a review',
    description: 'Asks a model to review a restaurant.',
    arguments: [
      { name: 'restaurant', title: null, description: 'The server completes the name.', required: true },
      { name: 'tone', title: 'Tone', description: null, required: false },
    ],
    problems: [],
  },
  {
    index: 1,
    nth: 0,
    mark: null,
    name: 'greet',
    title: null,
    description: null,
    arguments: [],
    problems: [],
  },
];

const NAMES = ['Da Luigi', 'Da Mario', 'Lucia', 'Osteria del Sole'];

/** What the fake suggests for what is typed. */
export function complete(value: string): CompletionView {
  const typed = value.toLowerCase();
  const values = NAMES.filter((name) => name.toLowerCase().includes(typed));
  return { values, total: values.length, has_more: false, problems: [], operation: 0 };
}

/** Fills in a template of the two forms that the fake has. */
export function expand(template: string, values: Readonly<Record<string, string>>): string {
  return template
    .replace(/\{\?(\w+)\}/g, (_, name: string) =>
      values[name] === undefined ? '' : `?${name}=${encodeURIComponent(values[name])}`,
    )
    .replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

/** The lists that were fetched, by server; tests change what comes next. */
export class FakeLists {
  readonly #fetched = new Map<string, number>();
  /** Instead of the list, this comes. */
  fails: ListKind | undefined;
  /** What a list holds from the second fetch on. */
  then: { resources?: readonly ResourceView[]; gone?: readonly string[] } = {};

  /** Remembers that a list was fetched, and how often by now. */
  fetch(server: string, kind: ListKind): number {
    const key = `${server} ${kind}`;
    const times = (this.#fetched.get(key) ?? 0) + 1;
    this.#fetched.set(key, times);
    return times;
  }

  /** The list as a view sees it. */
  view<T>(server: string, kind: ListKind, declared: boolean, entries: readonly T[]): ListView<T> {
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

  resources(server: string): readonly ResourceView[] {
    const times = this.#fetched.get(`${server} resources`) ?? 0;
    return times > 1 ? (this.then.resources ?? RESOURCES) : RESOURCES;
  }
}
