import type { ErrorView } from '$lib/bindings/ErrorView';
import type { OperationReply } from '$lib/bindings/OperationReply';
import { errorView, type Host } from '$lib/host/host';

/** A header as it is typed. */
export interface HeaderLine {
  name: string;
  value: string;
}

/** A message that was sent, and what came back. */
export class SentMessage {
  operation: number | null = $state(null);
  reply: OperationReply | null = $state.raw(null);
  error: ErrorView | null = $state.raw(null);
  readonly startedMicros: number;
  readonly what: string;

  constructor(what: string, startedMicros: number) {
    this.what = what;
    this.startedMicros = startedMicros;
  }

  get isRunning(): boolean {
    return this.reply === null && this.error === null;
  }
}

/** How many of them are kept in sight. */
const MOST_SENT = 10;

/** What is written for one server, and what was sent before. */
export class Composer {
  text = $state('');
  headers: HeaderLine[] = $state([]);
  usualHeaders = $state(true);
  /** Over stdio: line breaks stay. */
  keepsBreaks = $state(false);
  sent: readonly SentMessage[] = $state.raw([]);
  /** The id of the next message that begins with a template. */
  nextId = 1;

  readonly #host: Host;
  readonly #server: string;

  constructor(host: Host, server: string) {
    this.#host = host;
    this.#server = server;
  }

  async send(what: string, nowMicros: number, begun: (operation: number) => void): Promise<void> {
    const message = new SentMessage(what, nowMicros);
    this.sent = [message, ...this.sent].slice(0, MOST_SENT);
    try {
      const operation = await this.#host.rpc('compose', {
        server: this.#server,
        text: this.text,
        headers: this.headers.filter(({ name }) => name.trim() !== '').map((line) => ({ ...line })),
        usual_headers: this.usualHeaders,
        keeps_breaks: this.keepsBreaks,
      });
      message.operation = operation;
      begun(operation);
      message.reply = await this.#host.rpc('reply', { operation });
    } catch (error) {
      message.error = errorView(error);
    }
  }

  async cancel(message: SentMessage): Promise<void> {
    if (message.operation === null) return;
    try {
      await this.#host.rpc('cancel', { operation: message.operation });
    } catch (error) {
      message.error = errorView(error);
    }
  }
}
