import { childrenOf, readString, valueText } from '$lib/json/outline';
import { laidOut } from '$lib/json/layout';

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
