import type { SamplingView } from '$lib/bindings/SamplingView';
import type { SavedAnswer } from '$lib/bindings/SavedAnswer';
import type { Handlers } from './handlers';
import { PICTURE } from './picture';

type OfSampling = 'sampling_request' | 'saved_answers' | 'save_answer' | 'forget_answer' | 'check_folders';

const WEATHER = JSON.stringify({
  type: 'object',
  properties: { dish: { type: 'string', title: 'Dish' }, guests: { type: 'integer', title: 'Guests' } },
  required: ['dish'],
});

/** A request with all that one may hold. */
export const SAMPLE: SamplingView = {
  system_prompt: 'You are a waiter who knows the menu by heart. Answer in one sentence.',
  messages: [
    {
      role: 'user',
      content: [
        { kind: 'content', content: { kind: 'text', text: 'Which dish would you suggest? <b>Now!</b>' } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          kind: 'content',
          content: { kind: 'image', mime_type: 'image/png', base64: PICTURE, problem: null },
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { kind: 'tool_use', id: 'call_1', name: 'look_up_price', input: '{\n  "dish": "Risotto"\n}' },
      ],
    },
    {
      role: 'user',
      content: [
        {
          kind: 'tool_result',
          tool_use_id: 'call_1',
          content: [{ kind: 'text', text: 'Risotto costs 14 euros.' }],
          structured: '{\n  "euros": 14\n}',
          is_error: false,
        },
      ],
    },
  ],
  model_hints: ['sonnet', 'small'],
  cost_priority: '0.6',
  speed_priority: '0.8',
  intelligence_priority: '0.3',
  max_tokens: '200',
  temperature: '0.5',
  stop_sequences: ['\n\n'],
  include_context: 'thisServer',
  metadata: '{\n  "trace": 12345678901234567890\n}',
  tools: [
    {
      name: 'look_up_price',
      title: 'Look up a price',
      description: 'The price of a dish, in euros.',
      input_schema: WEATHER,
    },
  ],
  tool_choice: 'auto',
  unknown: [],
  problems: ['includeContext asks for context, which is deprecated and was not offered (sampling.context).'],
  takes_blocks: true,
  takes_audio: true,
  is_refusal_sent: false,
};

/** Sampling and folders in the page. */
export class FakeSampling {
  request: SamplingView = SAMPLE;
  readonly saved = new Map<string, SavedAnswer[]>();

  readonly handlers: Handlers<OfSampling> = {
    sampling_request: () => this.request,
    saved_answers: ({ server }) => this.saved.get(server) ?? [],
    save_answer: ({ server, name, answer }) => {
      const others = (this.saved.get(server) ?? []).filter((one) => one.name !== name);
      this.saved.set(server, [...others, { name, answer }]);
      return null;
    },
    forget_answer: ({ server, name }) => {
      this.saved.set(
        server,
        (this.saved.get(server) ?? []).filter((one) => one.name !== name),
      );
      return null;
    },
    check_folders: ({ uris }) =>
      uris.map((uri) => ({
        uri,
        path: uri.replace('file://', ''),
        problem: uri.includes('gone')
          ? 'There is no such folder now.'
          : uri.includes('..')
            ? 'Its path goes through . or .., which could mean another folder.'
            : null,
        is_tellable: !uri.includes('..'),
      })),
  };
}
