/** What a call is about. */
export type Subject = 'tool' | 'prompt' | 'resource';

const UNKNOWN =
  /unknown|not found|no such|does ?n[o']t exist|not (?:registered|available)|unrecogni[sz]ed|not recogni[sz]ed/i;

export interface Refusal {
  /** `unknown tool` or `bad arguments`. */
  readonly words: string;
  readonly title: string;
  readonly hint: string;
}

/**
 * What error −32602 means: servers use it both for a name that they do not know and for arguments that they do not take
 * (2026-07-28 server/tools § Error Handling, server/prompts § Error Handling, server/resources § Error Handling).
 * Only their words tell the two apart.
 */
export function refusalOf(code: number | null, message: string, subject: Subject): Refusal | undefined {
  if (code !== -32602) return undefined;
  const isUnknown =
    subject === 'resource' || (UNKNOWN.test(message) && new RegExp(`${subject}|name`, 'i').test(message));
  if (isUnknown) {
    return {
      words: `unknown ${subject}`,
      title: `The server does not know this ${subject} (error −32602)`,
      hint: `Fetch the list of ${subject}s again: it may have changed.`,
    };
  }
  return {
    words: 'bad arguments',
    title: 'The server refuses the arguments (error −32602)',
    hint: 'Compare them with the schema. A server that follows the specification tells of a value that does not fit by a tool error instead.',
  };
}
