import { describe, expect, it } from 'vitest';
import { laidOut } from '$lib/json/layout';
import { answeredAnew, answersIn, memberText, resendable } from './request';

describe('resendable', () => {
  it('keeps every digit of the parameters and knows an answer', () => {
    const call = resendable(
      '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"pay","arguments":{"sum":1.10,"ref":12345678901234567890,"to":[]}}}',
    );
    expect(call?.method).toBe('tools/call');
    expect(call?.isAnswer).toBe(false);
    expect(call?.params).toBe(
      '{\n  "name": "pay",\n  "arguments": {\n    "sum": 1.10,\n    "ref": 12345678901234567890,\n    "to": []\n  }\n}',
    );
    const answer = resendable(
      '{"method":"tools/call","id":5,"params":{"name":"pay","inputResponses":{"a":{"action":"decline"}},"requestState":"s"}}',
    );
    expect(answer?.isAnswer).toBe(true);
  });

  it('is nothing for what is no request', () => {
    expect(resendable('{"result":{}}')).toBeUndefined();
    expect(resendable('')).toBeUndefined();
    expect(resendable('{"method":"ping"}')).toEqual({ method: 'ping', params: '', isAnswer: false });
  });
});

describe('answers in parameters', () => {
  const params =
    '{ "name": "pay", "inputResponses": { "a": {"action":"accept","content":{"n":12345678901234567890}}, "b": {"action":"decline"} }, "requestState": "s" }';

  it('are told by key and action', () => {
    expect(answersIn(params)).toEqual([
      { key: 'a', action: 'accept' },
      { key: 'b', action: 'decline' },
    ]);
    expect(answersIn('{"name":"pay"}')).toEqual([]);
  });

  it('are changed in place, and nothing else is', () => {
    const content = memberText(params, 'inputResponses', 'a', 'content');
    expect(content).toBe('{"n":12345678901234567890}');
    const declined = answeredAnew(params, 'a', 'decline', undefined);
    expect(declined).toBe(
      params.replace('{"action":"accept","content":{"n":12345678901234567890}}', '{"action": "decline"}'),
    );
    expect(answersIn(answeredAnew(declined, 'a', 'accept', content))[0]).toEqual({
      key: 'a',
      action: 'accept',
    });
    expect(answeredAnew(params, 'nobody', 'cancel', undefined)).toBe(params);
  });
});

describe('laidOut', () => {
  it('changes white space alone', () => {
    const text = '{"a":"x, {y}: \\"z\\"","b":[{},[ ],1e400,{"c":null}]}';
    expect(laidOut(text).replace(/\s+(?=(?:[^"\\]|\\.|"(?:[^"\\]|\\.)*")*$)/g, '')).toBe(
      text.replace('[ ]', '[]'),
    );
  });
});
