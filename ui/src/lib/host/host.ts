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
