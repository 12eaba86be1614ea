import { laidOut } from './layout';
import { childrenOf, readString, valueText } from './outline';

/** What is asked by a key of `inputRequests`. */
export interface Asked {
  readonly key: string;
  readonly method: string;
  /** The text of the form's `requestedSchema`, where it has one. */
  readonly schema: string | undefined;
}

/** A recorded request, taken apart to be sent again. */
export interface Resendable {
  readonly method: string;
  /** The text of its parameters, over lines; empty where it has none. */
  readonly params: string;
  /** It answers what the server asked in a round before: `inputResponses` or a `requestState`. */
  readonly isAnswer: boolean;
}

/** Reads a request's message; `undefined` where it is no request. */
export function resendable(message: string): Resendable | undefined {
  const members = childrenOf(message, 0, 0, 50).children;
  const member = (name: string): string | undefined => {
    const found = members.filter((one) => one.key === name).at(-1);
    return found === undefined ? undefined : valueText(message, found.at);
  };
  const method = member('method');
  if (method?.startsWith('"') !== true) return undefined;
  const params = member('params') ?? '';
  const keys = params === '' ? [] : childrenOf(params, 0, 0, 200).children.map((one) => one.key);
  return {
    method: readString(method),
    params: params === '' ? '' : laidOut(params),
    isAnswer: keys.includes('inputResponses') || keys.includes('requestState'),
  };
}

/** The text of a member of a JSON object, by the way to it; `undefined` where it is not there. */
export function memberText(json: string, ...way: readonly string[]): string | undefined {
  const at = memberAt(json, way);
  return at === undefined ? undefined : valueText(json, at);
}

/** The keys of the answers in a request's parameters, each with its action. */
export function answersIn(params: string): { key: string; action: string }[] {
  const at = memberAt(params, ['inputResponses']);
  if (at === undefined) return [];
  return childrenOf(params, at, 0, 50).children.flatMap(({ key }) =>
    key === null
      ? []
      : [{ key, action: readString(memberText(params, 'inputResponses', key, 'action') ?? '""') }],
  );
}

/** The parameters with another answer to one question; the rest of the text stays as it is. */
export function answeredAnew(
  params: string,
  key: string,
  action: 'accept' | 'decline' | 'cancel',
  content: string | undefined,
): string {
  const at = memberAt(params, ['inputResponses', key]);
  if (at === undefined) return params;
  const before = valueText(params, at);
  const answer =
    action === 'accept' && content !== undefined
      ? `{"action": "accept", "content": ${content}}`
      : `{"action": "${action}"}`;
  return params.slice(0, at) + answer + params.slice(at + before.length);
}

function memberAt(json: string, way: readonly string[]): number | undefined {
  let at = 0;
  for (const name of way) {
    const found = childrenOf(json, at, 0, 500)
      .children.filter((one) => one.key === name)
      .at(-1);
    if (found === undefined) return undefined;
    at = found.at;
  }
  return at;
}

/** What a server asked in a round, by its reply; empty where it asked nothing. */
export function askedIn(reply: string): Asked[] {
  const at = memberAt(reply, ['result', 'inputRequests']);
  if (at === undefined) return [];
  return childrenOf(reply, at, 0, 50).children.flatMap(({ key }) => {
    if (key === null) return [];
    const part = (...way: string[]): string | undefined =>
      memberText(reply, 'result', 'inputRequests', key, ...way);
    return [
      {
        key,
        method: readString(part('method') ?? '"elicitation/create"'),
        schema: part('params', 'requestedSchema'),
      },
    ];
  });
}

/**
 * The parameters that answer a round, of that round's request and reply: what the request had, each question with an
 * answer to begin from, and the state that the server gave, to the letter.
 */
export function answering(params: string, reply: string): string {
  const kept = params === '' ? [] : childrenOf(params, 0, 0, 500).children;
  const members = kept
    .filter(({ key }) => key !== null && key !== 'inputResponses' && key !== 'requestState')
    .map(({ key, at }) => `${JSON.stringify(key)}: ${valueText(params, at)}`);
  const answers = askedIn(reply).map(
    ({ key, method, schema }) => `${JSON.stringify(key)}: ${firstAnswer(method, schema)}`,
  );
  if (answers.length > 0) members.push(`"inputResponses": {${answers.join(', ')}}`);
  const state = memberText(reply, 'result', 'requestState');
  if (state !== undefined) members.push(`"requestState": ${state}`);
  return laidOut(`{${members.join(', ')}}`);
}

function firstAnswer(method: string, schema: string | undefined): string {
  switch (method) {
    case 'sampling/createMessage':
      return '{"role": "assistant", "content": {"type": "text", "text": ""}, "model": "", "stopReason": "endTurn"}';
    case 'roots/list':
      return '{"roots": []}';
    default:
      return `{"action": "accept", "content": ${contentFor(schema)}}`;
  }
}

/** The content of a form to begin from: its defaults, and its required fields left blank. */
export function contentFor(schema: string | undefined): string {
  if (schema === undefined) return '{}';
  const at = memberAt(schema, ['properties']);
  if (at === undefined) return '{}';
  const required = new Set<string>();
  const needed = memberAt(schema, ['required']);
  if (needed !== undefined) {
    for (const { text } of childrenOf(schema, needed, 0, 500).children) required.add(readString(text));
  }
  const members = childrenOf(schema, at, 0, 500).children.flatMap(({ key }) => {
    if (key === null) return [];
    const given = memberText(schema, 'properties', key, 'default');
    if (given === undefined && !required.has(key)) return [];
    const type = readString(memberText(schema, 'properties', key, 'type') ?? '""');
    return [`${JSON.stringify(key)}: ${given ?? BLANK[type] ?? 'null'}`];
  });
  return `{${members.join(', ')}}`;
}

const BLANK: Readonly<Record<string, string>> = {
  string: '""',
  boolean: 'false',
  array: '[]',
  object: '{}',
  number: '0',
  integer: '0',
};
