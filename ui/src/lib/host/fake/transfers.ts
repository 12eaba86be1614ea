import type { ExportedFile } from '$lib/bindings/ExportedFile';
import type { TransferState } from '$lib/bindings/TransferState';
import type { Arguments } from '../host';
import { failure } from './failure';
import type { Handlers } from './handlers';
import { recording, type FakeRecordings } from './recordings';

type OfTransfers = 'copy_as' | 'start_export' | 'transfer' | 'export_text' | 'save_export' | 'end_transfer';

const ENDINGS = {
  recording: 'mcpr.gz',
  json_lines: 'jsonl',
  har: 'har',
  page: 'html',
  summary: 'md',
} as const;

/** Exports and imports of a core in the page. */
export class FakeTransfers {
  /** What was begun, to be looked at by a test. */
  readonly begun: Arguments<'start_export'>[] = [];
  readonly ended: number[] = [];
  /** How long a transfer runs, in questions how far it is. */
  steps = 1;
  /** Where the person saves to in the system's dialog; `null` when they cancel it. */
  savesTo: string | null = '/home/ana/session.mcpr.gz';
  redacted: ExportedFile['redacted'] = [{ name: 'billing-staging/Authorization', count: 3 }];
  notes: string[] = [];
  /** Why the next transfer fails. */
  fails: string | null = null;
  /** What the next import becomes; `null` when the person chooses no file. */
  imports: { recording: string; notes: string[] } | null = {
    recording: 'imported.mcpr',
    notes: ['3 of 40 entries are not MCP and are left out.'],
  };
  readonly #recordings: FakeRecordings;
  readonly #states = new Map<number, { left: number; then: TransferState }>();
  #last = 0;

  constructor(recordings: FakeRecordings) {
    this.#recordings = recordings;
  }

  /** The secrets that are named in what is copied. */
  copiedSecrets: string[] = [];

  readonly handlers: Handlers<OfTransfers> = {
    start_export: (args) => {
      this.begun.push(args);
      const file: ExportedFile = {
        name: `restaurant-bookings 2026-11-30 14.02.${ENDINGS[args.form]}`,
        byte_len: 48_200,
        rows: args.scope.kind === 'rows' ? args.scope.keys.length : 12,
        events: 340,
        redacted: this.redacted,
        notes: this.notes,
      };
      return this.#begin({ kind: 'prepared', file });
    },
    copy_as: ({ operation, form }) => ({
      text: form === 'curl' ? "curl -sS -N 'https://mcp.test/mcp'" : `request ${operation}`,
      secrets: this.copiedSecrets,
    }),
    transfer: ({ transfer }) => {
      const found = this.#get(transfer);
      if (found.left === 0) return found.then;
      found.left -= 1;
      return { kind: 'running', done: 340 - found.left, all: 340 };
    },
    export_text: ({ transfer }) => {
      this.#get(transfer);
      return '## MCP session\n';
    },
    save_export: ({ transfer }) => {
      const { then } = this.#get(transfer);
      return then.kind === 'prepared' ? `/home/ana/Downloads/${then.file.name}` : '';
    },
    end_transfer: ({ transfer }) => {
      this.ended.push(transfer);
      this.#states.delete(transfer);
      return null;
    },
  };

  /** The person's choice in the system's dialog for saving. */
  save(transfer: number): string | null {
    this.#get(transfer);
    return this.savesTo;
  }

  /** The person's choice in the system's dialog for opening. */
  import(): number | null {
    if (this.imports === null) return null;
    const { recording: id } = this.imports;
    if (this.fails === null && !this.#recordings.all.some((one) => one.id === id)) {
      this.#recordings.all = [...this.#recordings.all, recording({ id, server_names: ['mcp.test'] })];
    }
    return this.#begin({ kind: 'brought_in', ...this.imports });
  }

  #begin(then: TransferState): number {
    this.#last += 1;
    const error = { code: 'failed', message: this.fails ?? '', hint: 'Choose another file.' } as const;
    this.#states.set(this.#last, {
      left: this.steps,
      then: this.fails === null ? then : { kind: 'failed', error },
    });
    return this.#last;
  }

  #get(id: number): { left: number; then: TransferState } {
    const found = this.#states.get(id);
    if (found === undefined) throw failure('gone', 'This export or import is over.');
    return found;
  }
}
