import { HostError, type Arguments, type CommandName, type Detach, type Host, type Reply } from './host';

/** Commands that are about a journal: the running one, unless they name a recording. */
const ABOUT_A_JOURNAL: ReadonlySet<CommandName> = new Set<CommandName>([
  'look',
  'fold',
  'read_filter',
  'step',
  'stop_search',
  'locate',
  'locate_time',
  'row_keys',
  'density',
  'row',
  'start_export',
  'body',
  'operation_events',
  'mirrors',
  'event_content',
  'copy_as',
  'resend',
  'body_lines',
  'find_lines',
  'json_children',
  'json_value',
  'find_json',
  'save_content',
]);

/**
 * The door to a past session: commands about a journal name its recording; all others reach the core as they are.
 * Nothing happens in a past session, so it has no feed.
 */
export class PastHost implements Host {
  readonly #core: Host;
  readonly #recording: string;

  constructor(core: Host, recording: string) {
    this.#core = core;
    this.#recording = recording;
  }

  rpc<K extends CommandName>(name: K, args: Arguments<K>): Promise<Reply<K>> {
    return this.#core.rpc(name, ABOUT_A_JOURNAL.has(name) ? { ...args, recording: this.#recording } : args);
  }

  attach(): Promise<Detach> {
    const message = 'A past session has no feed.';
    return Promise.reject(new HostError({ code: 'failed', message, hint: null }));
  }

  popOut(prompt: number): Promise<void> {
    return this.#core.popOut(prompt);
  }

  pickFolders(): ReturnType<Host['pickFolders']> {
    return this.#core.pickFolders();
  }

  saveContentAs(args: Arguments<'save_content'>): Promise<string | null> {
    return this.#core.saveContentAs?.({ ...args, recording: this.#recording }) ?? Promise.resolve(null);
  }

  saveExport(transfer: number): Promise<string | null> {
    return this.#core.saveExport?.(transfer) ?? Promise.resolve(null);
  }

  importFile(): Promise<number | null> {
    return this.#core.importFile?.() ?? Promise.resolve(null);
  }

  closeAsked(leaves: boolean): Promise<void> {
    return this.#core.closeAsked(leaves);
  }
}
