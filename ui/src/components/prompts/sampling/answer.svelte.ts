import type { KeptForm } from '../../form/form-state.svelte';

/** The largest file that becomes part of an answer. */
export const LARGEST_FILE = 6 << 20;

/** The stop reasons that the specification names; a provider may have its own. */
export const STOP_REASONS = ['endTurn', 'stopSequence', 'maxTokens', 'toolUse'] as const;

/** One block of an answer as the person makes it. Plain data: it is kept as a draft. */
export type AnswerBlock =
  | { readonly key: number; readonly kind: 'text'; text: string }
  | {
      readonly key: number;
      readonly kind: 'image' | 'audio';
      /** Base64; empty until a file is chosen. */
      data: string;
      mimeType: string;
      file: string;
    }
  | {
      readonly key: number;
      readonly kind: 'tool_use';
      id: string;
      name: string;
      /** The form of the arguments as it was left. */
      input: KeptForm | undefined;
    };

export type BlockKind = AnswerBlock['kind'];

/** What is kept of an answer that was begun. */
export interface AnswerDraft {
  readonly kind: 'sampling';
  readonly model: string;
  readonly stopReason: string;
  readonly blocks: readonly AnswerBlock[];
}

export interface AnswerProblem {
  /** The block; undefined for the answer itself. */
  readonly key?: number;
  readonly field: 'model' | 'blocks' | 'text' | 'file' | 'mimeType' | 'id' | 'name' | 'input';
  readonly message: string;
}

/** The arguments of a tool use: JSON text, or why there is none. */
export type Input = { ok: true; json: string } | { ok: false; message: string };

/** An answer to a sampling request: what a model would have said, written by a person. */
export class SamplingAnswer {
  model = $state('human');
  /** The person's choice; undefined for the one that fits the blocks. */
  #stopReason: string | undefined = $state();
  blocks: AnswerBlock[] = $state([]);
  #nextKey = 0;

  constructor(draft: AnswerDraft | undefined) {
    if (draft === undefined) this.add('text');
    else this.#take(draft);
  }

  #take(draft: AnswerDraft): void {
    this.model = draft.model;
    this.stopReason = draft.stopReason;
    this.blocks = draft.blocks.map((block) => ({ ...block }));
    this.#nextKey = Math.max(0, ...draft.blocks.map(({ key }) => key + 1));
  }

  get stopReason(): string {
    return this.#stopReason ?? (this.usesTools ? 'toolUse' : 'endTurn');
  }

  set stopReason(reason: string) {
    const fitting = this.usesTools ? 'toolUse' : 'endTurn';
    this.#stopReason = reason === fitting ? undefined : reason;
  }

  get usesTools(): boolean {
    return this.blocks.some(({ kind }) => kind === 'tool_use');
  }

  /** Adds a block at the end and gives its key. `tool` is the one that a tool use begins with. */
  add(kind: BlockKind, tool = ''): number {
    const key = this.#nextKey;
    this.#nextKey += 1;
    const block: AnswerBlock =
      kind === 'text'
        ? { key, kind, text: '' }
        : kind === 'tool_use'
          ? { key, kind, id: `call_${key + 1}`, name: tool, input: undefined }
          : { key, kind, data: '', mimeType: '', file: '' };
    this.blocks.push(block);
    return key;
  }

  remove(key: number): void {
    this.blocks = this.blocks.filter((block) => block.key !== key);
  }

  /** A plain copy for keeping. Forms of tool uses are as they were last noted. */
  keep(): AnswerDraft {
    const { model, stopReason } = this;
    return { kind: 'sampling', model, stopReason, blocks: $state.snapshot(this.blocks) };
  }

  /** What is missing, before the core is asked. */
  problems(inputOf: (key: number) => Input): AnswerProblem[] {
    const found: AnswerProblem[] = [];
    if (this.blocks.length === 0) found.push({ field: 'blocks', message: 'Add what the answer says.' });
    for (const block of this.blocks) {
      const { key } = block;
      if (block.kind === 'image' || block.kind === 'audio') {
        if (block.data === '') found.push({ key, field: 'file', message: 'Choose a file.' });
        else if (!block.mimeType.includes('/'))
          found.push({
            key,
            field: 'mimeType',
            message: `Say what it is, such as ${block.kind === 'image' ? 'image/png' : 'audio/wav'}.`,
          });
      } else if (block.kind === 'tool_use') {
        if (block.name === '') found.push({ key, field: 'name', message: 'Choose a tool.' });
        if (block.id.trim() === '') found.push({ key, field: 'id', message: 'A tool use needs an id.' });
        const isTwice = this.blocks.some(
          (other) => other.kind === 'tool_use' && other.key < key && other.id === block.id,
        );
        if (isTwice) found.push({ key, field: 'id', message: 'Another tool use has the same id.' });
        const input = inputOf(key);
        if (!input.ok) found.push({ key, field: 'input', message: input.message });
      }
    }
    if (this.model.trim() === '') found.push({ field: 'model', message: 'Name the model that answers.' });
    return found;
  }

  /** The text of the `CreateMessageResult`: a single block stands alone, as every revision knows it. */
  json(inputOf: (key: number) => Input): string {
    const blocks = this.blocks.map((block): string => {
      if (block.kind === 'text') return JSON.stringify({ type: 'text', text: block.text });
      if (block.kind !== 'tool_use')
        return JSON.stringify({ type: block.kind, data: block.data, mimeType: block.mimeType });
      const input = inputOf(block.key);
      // The arguments keep their digits: they are text until they are sent.
      const head = JSON.stringify({ type: 'tool_use', id: block.id, name: block.name });
      return `${head.slice(0, -1)},"input":${input.ok ? input.json : '{}'}}`;
    });
    const content = blocks.length === 1 ? (blocks[0] ?? '') : `[${blocks.join(',')}]`;
    const model = JSON.stringify(this.model.trim());
    const stop = this.stopReason === '' ? '' : `,"stopReason":${JSON.stringify(this.stopReason)}`;
    return `{"role":"assistant","content":${content},"model":${model}${stop}}`;
  }
}

/** A draft as it was kept; undefined when it is something else. */
export function answerDraft(read: unknown): AnswerDraft | undefined {
  const draft = read as Partial<AnswerDraft> | null | undefined;
  const isDraft =
    draft?.kind === 'sampling' &&
    typeof draft.model === 'string' &&
    typeof draft.stopReason === 'string' &&
    Array.isArray(draft.blocks);
  return isDraft ? (draft as AnswerDraft) : undefined;
}

/** The draft that a saved answer is, for blocks that can be drawn; undefined when it is no answer. */
export function draftOf(json: string, inputSchema: (tool: string) => string): AnswerDraft | undefined {
  let read: unknown;
  try {
    read = JSON.parse(json);
  } catch {
    return undefined;
  }
  const answer = read as { model?: unknown; stopReason?: unknown; content?: unknown } | null;
  if (answer === null || typeof answer !== 'object') return undefined;
  const blocks: AnswerBlock[] = [];
  const content: unknown[] = Array.isArray(answer.content) ? answer.content : [answer.content];
  const word = (value: unknown): string => (typeof value === 'string' ? value : '');
  content.forEach((one, key) => {
    const block = (one ?? {}) as Record<string, unknown>;
    if (block['type'] === 'text') blocks.push({ key, kind: 'text', text: word(block['text']) });
    else if (block['type'] === 'image' || block['type'] === 'audio') {
      const data = word(block['data']);
      blocks.push({ key, kind: block['type'], data, mimeType: word(block['mimeType']), file: '' });
    } else if (block['type'] === 'tool_use') {
      const name = word(block['name']);
      const text = JSON.stringify(block['input'] ?? {}, undefined, 2);
      const input = { schema: inputSchema(name), view: 'json' as const, text, answer: undefined };
      blocks.push({ key, kind: 'tool_use', id: word(block['id']), name, input });
    }
  });
  return { kind: 'sampling', model: word(answer.model), stopReason: word(answer.stopReason), blocks };
}
