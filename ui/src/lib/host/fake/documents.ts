import type { FindLinesArgs } from '$lib/bindings/FindLinesArgs';
import type { FoundLines } from '$lib/bindings/FoundLines';
import type { LinesArgs } from '$lib/bindings/LinesArgs';
import type { LinesPart } from '$lib/bindings/LinesPart';
import { childrenOf, findIn, valueText } from '$lib/json/outline';
import { wrap, type WrappedText } from '$lib/text/wrap';
import type { FakeJournal } from './journal';

/** Bodies by windows, as far as a page needs them to be shown. */
export class FakeDocuments {
  /** What was saved, by its name. */
  readonly saved = new Map<string, unknown>();
  readonly #journal: FakeJournal;

  constructor(journal: FakeJournal) {
    this.#journal = journal;
  }

  #lines({ event, form, columns }: Pick<LinesArgs, 'event' | 'form' | 'columns'>): WrappedText {
    const { text } = this.#journal.body(event, form, Number.MAX_SAFE_INTEGER);
    return wrap(text, form === 'hex' ? 1000 : columns);
  }

  lines(args: LinesArgs): LinesPart {
    const body = this.#journal.body(args.event, 'pretty', Number.MAX_SAFE_INTEGER);
    const wrapped = this.#lines(args);
    const lines = [];
    for (let at = args.start; at < Math.min(wrapped.count, args.start + args.len); at += 1) {
      const { logical, from, to, continued } = wrapped.line(at);
      const line = wrapped.logical(logical);
      const quotes = [...line.slice(0, from).matchAll(/\\.|"/g)].filter(([one]) => one === '"').length;
      lines.push({ text: line.slice(from, to), continued, in_string: body.is_json && quotes % 2 === 1 });
    }
    const { byte_len, is_json, is_utf8 } = body;
    return { line_count: wrapped.count, start: args.start, lines, is_json, is_utf8, byte_len };
  }

  find(args: FindLinesArgs): FoundLines {
    const wrapped = this.#lines(args);
    const wanted = args.text.toLowerCase();
    const hits = [];
    for (let at = 0; at < wrapped.count; at += 1) {
      const { logical, from, to } = wrapped.line(at);
      const line = wrapped.logical(logical).slice(from, to).toLowerCase();
      for (let found = line.indexOf(wanted); found >= 0; found = line.indexOf(wanted, found + 1))
        hits.push({ line: at, from: found, to: found + wanted.length });
    }
    return { total: hits.length, hits: hits.slice(0, 2000) };
  }

  json(event: number): string | undefined {
    const text = this.#journal.message(event);
    return this.#journal.body(event, 'pretty', Number.MAX_SAFE_INTEGER).is_json ? text : undefined;
  }

  children(event: number, at: number | null, start: number, len: number): ReturnType<typeof childrenOf> {
    const json = this.json(event);
    return json === undefined ? { total: 0, children: [] } : childrenOf(json, at, start, len);
  }

  value(event: number, at: number): string {
    return valueText(this.json(event) ?? '', at);
  }

  findJson(event: number, text: string): ReturnType<typeof findIn> {
    const json = this.json(event);
    return json === undefined ? { total: 0, hits: [] } : findIn(json, text);
  }
}
