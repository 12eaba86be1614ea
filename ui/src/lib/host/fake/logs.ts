import type { LogFilter } from '$lib/bindings/LogFilter';
import type { LogLine } from '$lib/bindings/LogLine';
import { failure } from './failure';
import type { Handlers } from './handlers';
import { nowMicros } from './journal';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

type OfLogs = 'logs' | 'set_log_level';

const SAYINGS: readonly [level: string | null, logger: string | null, text: string][] = [
  ['info', 'kitchen', 'The oven is on.'],
  ['debug', 'tables', '{"table":4,"seats":6,"free":true,"id":12345678901234567890}'],
  [null, null, '\u001b[32mREADY\u001b[0m listening on port 8080'],
  ['notice', 'kitchen', 'The menu of today was read.'],
  ['warning', 'tables', 'Table 4 was asked for twice within a second.'],
  ['error', 'kitchen', 'The fish did not come.'],
  ['emergency', null, 'The kitchen burns.'],
  ['loud', 'kitchen', 'A level that nobody knows \u202ereversed'],
];

/** The logs of servers. */
export class FakeLogs {
  readonly #lines = new Map<string, LogLine[]>();
  readonly #asked = new Map<string, string | null>();
  /** Whether servers say that they can log. */
  canLog: boolean | null = true;
  /** Why no level can be set. */
  refuses: string | null = null;

  /** A server logs so many lines. */
  write(server: string, count: number): void {
    const lines = this.#lines.get(server) ?? [];
    for (let at = 0; at < count; at += 1) {
      const [level, logger, text] = SAYINGS[lines.length % SAYINGS.length] ?? ['info', null, ''];
      lines.push({
        event: lines.length,
        at_micros: nowMicros() - (count - at) * 20_000,
        operation: null,
        stderr: level === null,
        level,
        logger,
        text: lines.length < SAYINGS.length ? text : `${text} (${lines.length})`,
        is_cut: false,
      });
    }
    this.#lines.set(server, lines);
  }

  readonly handlers: Handlers<OfLogs> = {
    logs: ({ server, filter, start, len, follow }) => {
      const all = this.#lines.get(server) ?? [];
      const fitting = all.filter((line) => fits(line, filter));
      const first = follow ? Math.max(0, fitting.length - len) : Math.min(start, fitting.length);
      const messages = all.filter(({ stderr }) => !stderr);
      return {
        all: all.length,
        total: fitting.length,
        start: first,
        lines: fitting.slice(first, first + len),
        loggers: [...new Set(messages.flatMap(({ logger }) => (logger === null ? [] : [logger])))].map(
          (name) => ({ name, count: messages.filter(({ logger }) => logger === name).length }),
        ),
        levels: LEVELS.map((level) => ({
          level,
          count: messages.filter((line) => line.level === level).length,
        })).filter(({ count }) => count > 0),
        stderr_count: all.length - messages.length,
        asked_level: this.#asked.get(server) ?? null,
        can_log: this.canLog,
      };
    },
    set_log_level: ({ server, level }) => {
      if (this.refuses !== null) throw failure('failed', this.refuses);
      this.#asked.set(server, level);
      return null;
    },
  };
}

function fits(line: LogLine, filter: LogFilter): boolean {
  const text = filter.text.toLowerCase();
  if (text !== '' && !`${line.text} ${line.logger ?? ''}`.toLowerCase().includes(text)) return false;
  if (line.stderr) return filter.stderr && filter.logger === null;
  if (!filter.messages || (filter.logger !== null && filter.logger !== line.logger)) return false;
  const rank = LEVELS.indexOf(line.level ?? '');
  return filter.level === null || rank < 0 || rank >= LEVELS.indexOf(filter.level);
}
