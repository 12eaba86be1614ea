import type { CompletionView } from '$lib/bindings/CompletionView';
import type { OfferedPromptView } from '$lib/bindings/OfferedPromptView';
import type { ResourceTemplateView } from '$lib/bindings/ResourceTemplateView';
import type { ResourceView } from '$lib/bindings/ResourceView';

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
