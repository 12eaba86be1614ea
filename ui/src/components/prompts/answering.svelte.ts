import type { ErrorView } from '$lib/bindings/ErrorView';
import type { PromptAction } from '$lib/bindings/PromptAction';
import type { PromptView } from '$lib/bindings/PromptView';
import { errorView, type Host } from '$lib/host/host';

/** One prompt's answer on its way to the core: what every kind of prompt shares. */
export class Answering {
  readonly #host: Host;
  readonly #prompt: () => PromptView;

  sending = $state(false);
  error: ErrorView | null = $state.raw(null);

  constructor(host: Host, prompt: () => PromptView) {
    this.#host = host;
    this.#prompt = prompt;
  }

  /** `content` is JSON text, for `accept` alone. */
  async answer(action: PromptAction, content: string | null = null): Promise<void> {
    await this.run(() => this.#host.rpc('answer_prompt', { prompt: this.#prompt().id, action, content }));
  }

  /** Does it while nothing else can be chosen; what goes wrong is kept in {@link error}. */
  async run(act: () => Promise<unknown>): Promise<void> {
    this.sending = true;
    this.error = null;
    try {
      await act();
    } catch (thrown) {
      this.error = errorView(thrown);
    }
    this.sending = false;
  }
}
