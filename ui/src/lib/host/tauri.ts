import { Channel, invoke } from '@tauri-apps/api/core';
import type { ErrorView } from '$lib/bindings/ErrorView';
import type { FeedBatch } from '$lib/bindings/FeedBatch';
import { HostError, type Arguments, type CommandName, type Detach, type Host, type Reply } from './host';

/** Whether this page runs in the real window. */
export function insideTauri(): boolean {
  return '__TAURI_INTERNALS__' in window;
}

function readError(thrown: unknown): HostError {
  if (typeof thrown === 'string') {
    try {
      const view = JSON.parse(thrown) as Partial<ErrorView> | null;
      if (view !== null && typeof view === 'object' && typeof view.message === 'string') {
        return new HostError({
          code: view.code ?? 'failed',
          message: view.message,
          hint: view.hint ?? null,
        });
      }
    } catch {
      // Not our JSON: Tauri itself refused (an unknown command, a closed window). Shown as it is.
    }
    return new HostError({ code: 'failed', message: thrown, hint: null });
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new HostError({ code: 'failed', message, hint: null });
}

/**
 * The real core. Arguments and replies cross as JSON text in strings: Tauri would otherwise parse them and round
 * large integers on the way.
 */
export class TauriHost implements Host {
  async rpc<K extends CommandName>(name: K, args: Arguments<K>): Promise<Reply<K>> {
    let reply: string;
    try {
      reply = await invoke<string>('rpc', { name, args: JSON.stringify(args) });
    } catch (thrown) {
      throw readError(thrown);
    }
    return JSON.parse(reply) as Reply<K>;
  }

  async attach(onBatch: (batch: FeedBatch) => void): Promise<Detach> {
    const channel = new Channel<string>();
    let open = true;
    channel.onmessage = (text) => {
      if (open) onBatch(JSON.parse(text) as FeedBatch);
    };
    try {
      await invoke('attach', { channel });
    } catch (thrown) {
      open = false;
      throw readError(thrown);
    }
    return () => {
      open = false;
    };
  }

  popOut(prompt: number): Promise<void> {
    return this.#tell('pop_out', { prompt });
  }

  closeAsked(leaves: boolean): Promise<void> {
    return this.#tell('close_asked', { leaves });
  }

  zoom(factor: number): Promise<void> {
    return this.#tell('zoom', { factor });
  }

  pickFolders(): Promise<readonly string[]> {
    return this.#tell('pick_folders', {});
  }

  saveExport(transfer: number): Promise<string | null> {
    return this.#tell('save_export', { transfer });
  }

  saveContentAs(args: Arguments<'save_content'>): Promise<string | null> {
    return this.#tell('save_content_as', { args: JSON.stringify(args) });
  }

  importFile(): Promise<number | null> {
    return this.#tell('import_file', {});
  }

  async #tell<T = void>(command: string, args: Record<string, unknown>): Promise<T> {
    try {
      return await invoke<T>(command, args);
    } catch (thrown) {
      throw readError(thrown);
    }
  }
}
