import type { ErrorView } from '$lib/bindings/ErrorView';
import type { ClearValue } from '$lib/bindings/ClearValue';
import type { SecretList } from '$lib/bindings/SecretList';
import type { SecretView } from '$lib/bindings/SecretView';
import { errorView, type Host } from '$lib/host/host';
import { visibleLine } from '$lib/text/visible';
import type { Toasts } from './toasts.svelte';

/** How long a value stands in the window once it was asked for. */
export const SHOWN_MILLIS = 20_000;

/** The secrets, by name. A value is here only while the person looks at it. */
export class Secrets {
  isOpen = $state(false);
  list: SecretList | undefined = $state.raw();
  error: ErrorView | null = $state.raw(null);
  /** The secret whose value is shown, with the value. */
  shown: { readonly name: string; readonly value: string } | null = $state.raw(null);
  readonly #host: Host;
  readonly #toasts: Toasts;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: Host, toasts: Toasts) {
    this.#host = host;
    this.#toasts = toasts;
  }

  open(): void {
    this.isOpen = true;
    void this.refresh();
  }

  close(): void {
    this.isOpen = false;
    this.hide();
  }

  async refresh(): Promise<void> {
    await this.#try(async () => {
      this.list = await this.#host.rpc('secrets', {});
    });
  }

  /** Shows a value for a while. */
  async show(name: string): Promise<void> {
    await this.#try(async () => {
      const { value } = await this.#host.rpc('show_secret', { name });
      this.shown = { name, value };
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.hide(), SHOWN_MILLIS);
    });
  }

  hide(): void {
    clearTimeout(this.#timer);
    this.shown = null;
  }

  /** Gives a secret another value. Throws what the core says, for the form that it was typed into. */
  async replace(name: string, value: string, session_only: boolean): Promise<void> {
    await this.#host.rpc('replace_secret', { name, value, session_only });
    this.hide();
    await this.refresh();
  }

  /** Deletes a secret; one that was entered can be brought back by the toast. */
  async remove(secret: SecretView): Promise<void> {
    const { name } = secret;
    await this.#change(async () => {
      await this.#host.rpc('delete_secret', { name });
      this.hide();
      const undo = secret.kind === 'value' ? () => void this.restore(name) : undefined;
      this.#toasts.say(`Deleted ${visibleLine(name)}.`, undo);
    });
  }

  async restore(name: string): Promise<void> {
    try {
      await this.#host.rpc('restore_secret', { name });
    } catch (thrown) {
      const { message } = errorView(thrown);
      this.#toasts.say(`${visibleLine(name)} could not be brought back: ${message}`, undefined, 'error');
    }
    await this.refresh();
  }

  async move({ server, name, place }: ClearValue): Promise<void> {
    await this.#change(() => this.#host.rpc('move_secret', { server, name, place }));
  }

  async unlock(): Promise<void> {
    await this.#change(() => this.#host.rpc('unlock_keyring', {}));
  }

  /** What was refused is said, and not taken away by a list that can be read. */
  async #change(act: () => Promise<unknown>): Promise<void> {
    if (await this.#try(act)) await this.refresh();
  }

  async #try(act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act();
      this.error = null;
      return true;
    } catch (thrown) {
      this.error = errorView(thrown);
      return false;
    }
  }
}
