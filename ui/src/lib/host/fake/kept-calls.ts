import type { KeptCall } from '$lib/bindings/KeptCall';
import type { KeptCalls } from '$lib/bindings/KeptCalls';
import type { KeptEnd } from '$lib/bindings/KeptEnd';
import { looksSecret } from '$lib/text/secret';
import { failure } from './failure';
import type { Handlers } from './handlers';
import { nowMicros } from './journal';

type OfKeptCalls =
  'kept_calls' | 'save_call' | 'call_arguments' | 'remove_calls' | 'restore_calls' | 'export_calls';

/** The calls that a core would keep in its file. */
export class FakeKeptCalls {
  readonly #tools = new Map<string, KeptCalls>();
  readonly #removed: { key: string; call: KeptCall }[] = [];
  readonly #whole = new Map<string, string>();
  #next = 1;

  #of(server: string, tool: string): KeptCalls {
    return this.#tools.get(`${server} ${tool}`) ?? { saved: [], history: [] };
  }

  #put(server: string, tool: string, kept: KeptCalls): void {
    this.#tools.set(`${server} ${tool}`, kept);
  }

  /** A call was made; what it gives tells how it ended. */
  note(server: string, tool: string, args: string): (end: KeptEnd) => void {
    const call = this.#call(args, null);
    const kept = this.#of(server, tool);
    this.#put(server, tool, { ...kept, history: [call, ...kept.history] });
    return (end) => {
      const now = this.#of(server, tool);
      const history = now.history.map((one) => (one.id === call.id ? { ...one, end } : one));
      this.#put(server, tool, { ...now, history });
    };
  }

  #call(args: string, name: string | null): KeptCall {
    const entries = Object.entries(JSON.parse(args) as Record<string, unknown>);
    const open = entries.filter(([key]) => !looksSecret(key));
    const id = `call-${this.#next}`;
    this.#next += 1;
    if (name !== null) this.#whole.set(id, args);
    return {
      id,
      name,
      arguments: JSON.stringify(Object.fromEntries(open)),
      secrets: entries.length - open.length,
      at_micros: nowMicros(),
      end: null,
    };
  }

  readonly handlers: Handlers<OfKeptCalls> = {
    kept_calls: ({ server, tool }) => this.#of(server, tool),
    save_call: ({ server, tool, name, arguments: args }) => {
      if (name.trim() === '')
        throw failure('bad_input', 'The call has no name.', 'Give it a name to find it by.');
      const call = this.#call(args, name.trim());
      const kept = this.#of(server, tool);
      const saved = [...kept.saved.filter((one) => one.name !== call.name), call];
      this.#put(server, tool, { ...kept, saved });
      return call.id;
    },
    call_arguments: ({ server, tool, id }) => {
      const { saved, history } = this.#of(server, tool);
      const call = [...saved, ...history].find((one) => one.id === id);
      if (call === undefined) throw failure('gone', 'This call is not kept any more.');
      const whole = this.#whole.get(id);
      return { arguments: whole ?? call.arguments, missing: whole === undefined ? call.secrets : 0 };
    },
    remove_calls: ({ server, tool, ids }) => {
      const kept = this.#of(server, tool);
      for (const call of [...kept.saved, ...kept.history])
        if (ids.includes(call.id)) this.#removed.push({ key: `${server} ${tool}`, call });
      this.#put(server, tool, {
        saved: kept.saved.filter(({ id }) => !ids.includes(id)),
        history: kept.history.filter(({ id }) => !ids.includes(id)),
      });
      return null;
    },
    restore_calls: ({ server, tool, ids }) => {
      const back = this.#removed.filter(
        ({ key, call }) => key === `${server} ${tool}` && ids.includes(call.id),
      );
      const kept = this.#of(server, tool);
      const calls = back.map(({ call }) => call);
      this.#put(server, tool, {
        saved: [...kept.saved, ...calls.filter(({ name }) => name !== null)],
        history: [...kept.history, ...calls.filter(({ name }) => name === null)],
      });
      return null;
    },
    export_calls: ({ server, tool }) => {
      const { saved, history } = this.#of(server, tool ?? '');
      return JSON.stringify([...saved, ...history], null, 2);
    },
  };
}
