import type { ErrorView } from '$lib/bindings/ErrorView';
import type { RuleView } from '$lib/bindings/RuleView';
import { errorView, type Host } from '$lib/host/host';

/** Between two readings while events come. */
const PAUSE_MILLIS = 1000;

/** What was found wrong with the messages of the server that is looked at, by rule. */
export class Findings {
  /** Whose they are; undefined before the first reading. */
  server: string | undefined = $state();
  rules: readonly RuleView[] = $state.raw([]);
  error: ErrorView | null = $state.raw(null);
  /** How many there are. */
  count = $derived(this.rules.reduce((sum, rule) => sum + rule.count, 0));

  readonly #host: Host;
  #wanted: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Something happened, or another server is looked at: they are read, and again after a pause where much happens. */
  look(server: string): void {
    const another = server !== this.#wanted;
    this.#wanted = server;
    if (another) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        void this.#read(server);
      },
      another ? 0 : PAUSE_MILLIS,
    );
  }

  async #read(server: string): Promise<void> {
    try {
      const { rules } = await this.#host.rpc('findings', { server });
      if (server !== this.#wanted) return;
      this.rules = rules;
      this.error = null;
    } catch (error) {
      if (server !== this.#wanted) return;
      this.rules = [];
      this.error = errorView(error);
    }
    this.server = server;
  }
}
