import type { PromptView } from '$lib/bindings/PromptView';
import { failure } from './failure';
import type { Handlers } from './handlers';
import { nowMicros, type FakeJournal, type FakeOperation } from './journal';
import type { FakeServers } from './servers';

type OfPrompts = 'answer_prompt' | 'keep_draft' | 'draft';

/** What a server asks. */
export interface Question {
  readonly message: string;
  readonly schema: unknown;
  readonly round: number;
  /** Now, unless it was asked before. */
  readonly since?: number;
}

/** The open prompts. */
export class FakePrompts {
  /** What was begun of answers. */
  readonly drafts = new Map<number, string>();
  /** How the wish to close a prompt's window was answered, for tests. */
  readonly closeAnswers: boolean[] = [];
  readonly #journal: FakeJournal;
  readonly #servers: FakeServers;
  readonly #answered: (operation: FakeOperation, isAccepted: boolean) => void;
  readonly #operations = new Map<number, FakeOperation>();
  #all: PromptView[] = [];
  #next = 1;
  #isNews = true;

  constructor(
    journal: FakeJournal,
    servers: FakeServers,
    answered: (operation: FakeOperation, isAccepted: boolean) => void,
  ) {
    this.#journal = journal;
    this.#servers = servers;
    this.#answered = answered;
  }

  get all(): PromptView[] {
    return this.#all;
  }

  set all(prompts: PromptView[]) {
    this.#all = prompts;
    this.#isNews = true;
  }

  /** A page has come that knows nothing. */
  attached(): void {
    this.#isNews = true;
  }

  get hasNews(): boolean {
    return this.#isNews;
  }

  patch(): PromptView[] | null {
    if (!this.#isNews) return null;
    this.#isNews = false;
    return this.#all;
  }

  /** A prompt of a server that is in the catalog, for tests and for looking at screens. */
  ask(server: string, change: Partial<PromptView> = {}): number {
    const { name } = this.#servers.get(server);
    const operation = this.#journal.start(server, name, 'tools/call', 'book_table');
    const id = this.askFor(operation, { message: 'How should we reach you?', schema: {}, round: 1 });
    this.#set(id, change);
    return id;
  }

  /** An operation asks: it goes on with the answer. */
  askFor(operation: FakeOperation, question: Question): number {
    const id = this.#next;
    this.#next += 1;
    const server = this.#servers.get(operation.server);
    this.#operations.set(id, operation);
    this.all = [
      ...this.#all,
      {
        id,
        server: server.id,
        server_name: server.name,
        address: server.address,
        operation: operation.id,
        operation_title: `${operation.row.label} ${operation.row.detail ?? ''}`,
        round: question.round,
        input_key: 'contact',
        since_micros: question.since ?? nowMicros(),
        lapses_micros: null,
        popped_out: false,
        message: question.message,
        ask: { kind: 'form', schema: JSON.stringify(question.schema) },
      },
    ];
    this.#count(server.id);
    return id;
  }

  /** A prompt is over without an answer. */
  withdraw(prompt: number): void {
    this.all = this.#all.filter((open) => open.id !== prompt);
  }

  /** A server is gone, and what it asked with it. */
  leave(server: string): void {
    this.all = this.#all.filter((open) => open.server !== server);
  }

  /** Its own window was opened or closed. */
  pop(prompt: number, popped_out: boolean): void {
    this.#set(prompt, { popped_out });
  }

  closeAsked(leaves: boolean): void {
    this.closeAnswers.push(leaves);
    if (leaves) for (const { id } of this.#all) this.pop(id, false);
  }

  #set(prompt: number, change: Partial<PromptView>): void {
    this.all = this.#all.map((open) => (open.id === prompt ? { ...open, ...change } : open));
  }

  #count(server: string): void {
    this.#servers.turn(server, { open_prompts: this.#all.filter((open) => open.server === server).length });
  }

  #answer(operation: FakeOperation, action: string, content: string | null): void {
    const now = nowMicros();
    this.#journal.event(operation, 'prompt answered', content ?? action, { at: now });
    const asking = operation.children.findIndex((row) => row.kind === 'prompt' && row.end_micros === null);
    const open = operation.children[asking];
    if (open !== undefined) {
      this.#journal.changeChild(operation, asking, {
        state: action === 'accept' ? 'complete' : 'cancelled',
        state_text: { accept: 'accepted', decline: 'declined', cancel: 'cancelled' }[action] ?? action,
        end_micros: now,
        spans: [{ kind: 'user', start_micros: open.start_micros, end_micros: now }],
      });
    }
    this.#journal.turn(operation, 'server');
    this.#answered(operation, action === 'accept');
  }

  readonly handlers: Handlers<OfPrompts> = {
    answer_prompt: ({ prompt, action, content }) => {
      const open = this.#all.find((one) => one.id === prompt);
      if (open === undefined) throw failure('gone', 'This prompt was answered or withdrawn already.');
      this.withdraw(prompt);
      this.#count(open.server);
      const operation = this.#operations.get(prompt);
      if (operation !== undefined) this.#answer(operation, action, content);
      return null;
    },
    keep_draft: ({ prompt, draft }) => {
      this.drafts.set(prompt, draft);
      return null;
    },
    draft: ({ prompt }) => this.drafts.get(prompt) ?? '',
  };
}
