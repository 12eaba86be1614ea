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
