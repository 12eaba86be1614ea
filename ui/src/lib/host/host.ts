import type { Commands } from '$lib/bindings/Commands';
import type { ErrorView } from '$lib/bindings/ErrorView';
import type { FeedBatch } from '$lib/bindings/FeedBatch';

export type CommandName = keyof Commands;
export type Arguments<K extends CommandName> = Commands[K]['args'];
export type Reply<K extends CommandName> = Commands[K]['reply'];

/** Ends an attachment: batches stop. */
export type Detach = () => void;

/** The door to the core. Everything else in `ui/` talks to this, never to Tauri. */
export interface Host {
  /** Runs a command. Rejects with a {@link HostError}. */
  rpc<K extends CommandName>(name: K, args: Arguments<K>): Promise<Reply<K>>;
  /** Opens the feed: a snapshot as batch 1, then changes. One attachment at a time; a new one ends the old. */
  attach(onBatch: (batch: FeedBatch) => void): Promise<Detach>;
  /** Opens a window for this prompt alone, or brings the one that there is forward. */
  popOut(prompt: number): Promise<void>;
  /** Answers the wish to close a prompt's window: it goes and its prompt stays open, or the window stays. */
  closeAsked(leaves: boolean): Promise<void>;
  /** Draws the page this many times as large. */
  zoom?(factor: number): Promise<void>;
  /** Lets the person choose folders in the system's dialog: their paths, none when they chose none. */
  pickFolders(): Promise<readonly string[]>;
  /** Lets the person choose in the system's dialog where a prepared export goes: its path, `null` when they chose none. */
  saveExport?(transfer: number): Promise<string | null>;
  /** Lets the person choose in the system's dialog where something goes: its path, `null` when they chose none. */
  saveContentAs?(args: Arguments<'save_content'>): Promise<string | null>;
  /** Lets the person choose a file in the system's dialog, which is then brought in: the transfer, `null` for none. */
  importFile?(): Promise<number | null>;
}

/** What the shell wants of a page: to ask whether its window is to close, or to show a prompt. */
export type Wish = { kind: 'close' } | { kind: 'prompt'; prompt: number };

/** The event by which the shell tells a wish. */
const WISH = 'roundtrip-wish';

/** Tells what the shell wants of this page, until it is called off. */
export function onWish(act: (wish: Wish) => void): () => void {
  const take = (event: Event): void => {
    if (event instanceof CustomEvent) act(event.detail as Wish);
  };
  window.addEventListener(WISH, take);
  return () => window.removeEventListener(WISH, take);
}

/** Tells a wish as the shell does: for tests. */
export function tellWish(wish: Wish): void {
  window.dispatchEvent(new CustomEvent(WISH, { detail: wish }));
}

/** A command's failure: what failed and where, and what to try. Its texts may quote a server. */
export class HostError extends Error {
  readonly view: ErrorView;

  constructor(view: ErrorView) {
    super(view.message);
    this.name = 'HostError';
    this.view = view;
  }
}

/** The error as data, whatever was thrown. */
export function errorView(thrown: unknown): ErrorView {
  if (thrown instanceof HostError) return thrown.view;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'failed', message, hint: null };
}

let current: Host | undefined;

/** Chosen once, at the start (`main.ts`) or by a test. */
export function setHost(host: Host): void {
  current = host;
}

/** The host in use. */
export function host(): Host {
  if (current === undefined) throw new Error('no host has been chosen yet');
  return current;
}

/** Runs a command on the host in use. */
export function rpc<K extends CommandName>(name: K, args: Arguments<K>): Promise<Reply<K>> {
  return host().rpc(name, args);
}

/** Draws the page this many times as large, where the host can. */
export async function zoomPage(factor: number): Promise<void> {
  await host().zoom?.(factor);
}
