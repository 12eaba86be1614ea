import { describe, expect, it } from 'vitest';
import { answerDraft, draftOf, SamplingAnswer, type Input } from './answer.svelte';

const none = (): Input => ({ ok: true, json: '{}' });

describe('an answer to a sampling request', () => {
  it('of one block holds it alone', () => {
    const answer = new SamplingAnswer(undefined);
    const [text] = answer.blocks;
    if (text?.kind === 'text') text.text = 'Paris "now"';
    expect(answer.json(none)).toBe(
      '{"role":"assistant","content":{"type":"text","text":"Paris \\"now\\""},"model":"human","stopReason":"endTurn"}',
    );
  });

  it('of several is a list, and tool uses keep the digits of their arguments', () => {
    const answer = new SamplingAnswer(undefined);
    answer.add('tool_use', 'look');
    const json = answer.json(() => ({ ok: true, json: '{"n":12345678901234567890,"x":1.10}' }));
    expect(json).toContain(
      '"content":[{"type":"text","text":""},{"type":"tool_use","id":"call_2","name":"look"',
    );
    expect(json).toContain('"input":{"n":12345678901234567890,"x":1.10}}]');
    expect(json).toContain('"stopReason":"toolUse"');
  });

  it('stops as the person says, else as its blocks do', () => {
    const answer = new SamplingAnswer(undefined);
    expect(answer.stopReason).toBe('endTurn');
    const key = answer.add('tool_use', 'look');
    expect(answer.stopReason).toBe('toolUse');
    answer.stopReason = 'maxTokens';
    answer.remove(key);
    expect(answer.stopReason).toBe('maxTokens');
    answer.stopReason = '';
    expect(answer.json(none)).not.toContain('stopReason');
  });

  it('says what is missing where it is', () => {
    const answer = new SamplingAnswer(undefined);
    answer.model = ' ';
    const image = answer.add('image');
    const one = answer.add('tool_use');
    const two = answer.add('tool_use', 'look');
    for (const block of answer.blocks) if (block.kind === 'tool_use') block.id = 'same';
    const found = answer.problems((key) =>
      key === two ? { ok: false, message: 'city: Fill this in.' } : { ok: true, json: '{}' },
    );
    expect(found.map(({ key, field }) => [key, field])).toEqual([
      [image, 'file'],
      [one, 'name'],
      [two, 'id'],
      [two, 'input'],
      [undefined, 'model'],
    ]);
    for (const { key } of [...answer.blocks]) answer.remove(key);
    expect(answer.problems(none)[0]?.field).toBe('blocks');
  });

  it('is the same after it was kept', () => {
    const answer = new SamplingAnswer(undefined);
    answer.add('tool_use', 'look');
    answer.model = 'me';
    const kept: unknown = JSON.parse(JSON.stringify(answer.keep()));
    const again = new SamplingAnswer(answerDraft(kept));
    expect(again.json(none)).toBe(answer.json(none));
    const key = again.add('text');
    expect(again.blocks.filter((block) => block.key === key)).toHaveLength(1);
    for (const other of [undefined, null, 1, {}, { kind: 'form' }, []])
      expect(answerDraft(other)).toBe(undefined);
  });

  it('is made of a saved one', () => {
    const saved =
      '{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"image","data":"aGk=","mimeType":"image/png"},' +
      '{"type":"tool_use","id":"1","name":"look","input":{"n":1}},{"type":"odd"}],"model":"me","stopReason":"own"}';
    const draft = draftOf(saved, () => '{}');
    expect(draft?.blocks.map(({ kind }) => kind)).toEqual(['text', 'image', 'tool_use']);
    expect(new SamplingAnswer(draft).stopReason).toBe('own');
    expect(draftOf('oops', () => '{}')).toBe(undefined);
    expect(draftOf('1', () => '{}')).toBe(undefined);
  });
});
