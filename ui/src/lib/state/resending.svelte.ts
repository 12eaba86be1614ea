import type { ErrorView } from '$lib/bindings/ErrorView';
import type { Exchange } from '$lib/bindings/Exchange';
import type { Header } from '$lib/bindings/Header';
import type { HeaderEdit } from '$lib/bindings/HeaderEdit';
import type { RowDetails } from '$lib/bindings/RowDetails';
import type { ServerView } from '$lib/bindings/ServerView';
import { errorView, type Host } from '$lib/host/host';
import { answering, askedIn, resendable, type Asked } from '$lib/json/request';

/** Longer requests are sent again as they were, and not edited. */
export const LONGEST_EDITED = 512 * 1024;

/** A recorded request that is about to be sent anew. */
export interface Draft {
  readonly server: string;
  readonly serverName: string;
  /** The operation it is from, and the round in whose place it goes out. */
  readonly of: number;
  readonly round: number;
  readonly method: string;
  readonly name: string | null;
  /** The parameters as they were; `null` for a round that was not answered, whose answer is new. */
  readonly before: string | null;
  /** What the editor begins with. */
  readonly params: string;
  /** It answers what the round before asked. */
  readonly isAnswer: boolean;
  readonly asked: readonly Asked[];
  /** The headers as they were sent; `null` where there are none. */
  readonly headers: readonly Header[] | null;
}

/** What of the window it takes. */
interface Around {
  readonly host: Host;
  readonly servers: readonly ServerView[];
  reveal(operation: number): Promise<void>;
}

/** Two operations to be seen beside each other: an original and its branch. */
export interface Comparison {
  readonly original: number;
  readonly branch: number;
  /** The round of the original whose request the branch sent anew, and what was done to it. */
  readonly round: number;
  readonly words: string;
  /** The recording that the original is of, where it is another one. */
  readonly recording: string | null;
}

/** Sending recorded requests again: as they were, edited, or as another answer to a round. */
export class Resending {
  draft: Draft | null = $state.raw(null);
  comparison: Comparison | null = $state.raw(null);
  isSending = $state(false);
  error: ErrorView | null = $state.raw(null);
  /** What went wrong before anything was shown, and with which row. */
  refusal: { readonly key: string; readonly error: ErrorView } | null = $state.raw(null);

  readonly #around: Around;

  constructor(around: Around) {
    this.#around = around;
  }

  serverOf(details: RowDetails): ServerView | undefined {
    return this.#around.servers.find((one) => one.name === details.server_name);
  }

  /** The round asked something, so that it can be answered anew. */
  static asks(exchange: Exchange | undefined): boolean {
    return exchange?.request != null && exchange.response !== null && exchange.outcome === 'input_required';
  }

  /** Sends an exchange's request again as it was. */
  async again(details: RowDetails, exchange: Exchange): Promise<void> {
    const draft = await this.#reading(details, () => this.#read(details, exchange));
    if (draft === undefined) return;
    await this.send(draft, draft.params, []);
    if (this.error !== null) this.refusal = { key: details.key, error: this.error };
  }

  /** Opens the editor with an exchange's request. */
  async edit(details: RowDetails, exchange: Exchange): Promise<void> {
    const draft = await this.#reading(details, () => this.#read(details, exchange));
    if (draft !== undefined) this.#open(draft);
  }

  /** Opens the editor with another answer to what an exchange's reply asked. */
  async answer(details: RowDetails, exchange: Exchange): Promise<void> {
    const draft = await this.#reading(details, async () => {
      const given = details.exchanges.find(
        ({ round, request }) => round === exchange.round + 1 && request !== null,
      );
      const read = await this.#read(details, given ?? exchange);
      const reply = await this.#message(exchange.response?.event);
      if (read === undefined || reply === undefined) return undefined;
      const asked = askedIn(reply);
      if (given !== undefined && read.isAnswer) return { ...read, asked };
      return {
        ...read,
        round: exchange.round + 1,
        before: null,
        params: answering(read.params, reply),
        isAnswer: true,
        asked,
      };
    });
    if (draft !== undefined) this.#open(draft);
  }

  close(): void {
    this.draft = null;
    this.error = null;
  }

  /** Sends it; the editor closes when it is on its way, and its row is shown. */
  async send(draft: Draft, params: string, headers: readonly HeaderEdit[]): Promise<void> {
    this.isSending = true;
    this.error = null;
    try {
      const operation = await this.#around.host.rpc('resend', {
        request: {
          server: draft.server,
          method: draft.method,
          params: params.trim() === '' ? null : params,
          pages: 'one',
          progress: false,
          limit_millis: null,
        },
        of: draft.of,
        round: draft.round,
        changed: params !== draft.before,
        headers: [...headers],
      });
      this.draft = null;
      await this.#around.reveal(operation);
    } catch (thrown) {
      this.error = errorView(thrown);
    }
    this.isSending = false;
  }

  compare(comparison: Comparison | null): void {
    this.comparison = comparison;
  }

  #open(draft: Draft): void {
    this.error = null;
    this.draft = draft;
  }

  async #reading(details: RowDetails, read: () => Promise<Draft | undefined>): Promise<Draft | undefined> {
    this.refusal = null;
    try {
      const draft = await read();
      if (draft !== undefined) return draft;
      const message = 'This is no request that could be sent again.';
      this.refusal = { key: details.key, error: { code: 'failed', message, hint: null } };
    } catch (thrown) {
      this.refusal = { key: details.key, error: errorView(thrown) };
    }
    return undefined;
  }

  async #read(details: RowDetails, exchange: Exchange): Promise<Draft | undefined> {
    const server = this.serverOf(details);
    const message = await this.#message(exchange.request?.event);
    const request = message === undefined ? undefined : resendable(message);
    if (server === undefined || request === undefined || details.operation === null) return undefined;
    const before = details.exchanges.findLast(
      ({ round, response }) => round === exchange.round - 1 && response !== null,
    );
    const asked = request.isAnswer ? askedIn((await this.#message(before?.response?.event)) ?? '') : [];
    return {
      server: server.id,
      serverName: server.name,
      of: details.operation,
      round: exchange.round,
      method: request.method,
      name: details.name,
      before: request.params,
      params: request.params,
      isAnswer: request.isAnswer,
      asked,
      headers: exchange.http?.request.headers ?? null,
    };
  }

  async #message(event: number | undefined): Promise<string | undefined> {
    return event === undefined ? undefined : this.#around.host.rpc('json_value', { event, at: 0 });
  }
}
