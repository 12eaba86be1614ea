/** One capability in words. */
export interface CapabilityLine {
  readonly name: string;
  /** Its members: `listChanged`, `subscribe`; empty for a bare `{}`. */
  readonly parts: readonly string[];
  readonly extension: boolean;
}

/** What each capability lets one do; unknown ones are shown by name alone. */
export const MEANING: Readonly<Record<string, string>> = {
  tools: 'tools to call',
  resources: 'resources to read',
  prompts: 'prompt templates',
  completions: 'completion of arguments',
  logging: 'log messages',
  tasks: 'long-running tasks',
  elicitation: 'questions to you',
  sampling: 'samples from a model',
  roots: 'folders it may ask for',
};

function members(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value)
    .filter(([, part]) => part !== false && part !== null)
    .map(([name]) => name);
}

/** Reads a capabilities object; `undefined` when the text is not one. */
export function capabilityLines(json: string): CapabilityLine[] | undefined {
  let read: unknown;
  try {
    read = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) return undefined;
  return Object.entries(read).flatMap(([name, value]): CapabilityLine[] =>
    name === 'extensions' || name === 'experimental'
      ? Object.entries((value ?? {}) as Record<string, unknown>).map(([inner, settings]) => ({
          name: inner,
          parts: members(settings),
          extension: true,
        }))
      : [{ name, parts: members(value), extension: false }],
  );
}
