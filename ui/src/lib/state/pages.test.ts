import { describe, expect, it } from 'vitest';
import { Pages } from './pages.svelte';

/** A list in a core that answers when it is told to. */
class Core {
  readonly asked: number[] = [];
  #waiting: (() => void)[] = [];
  total: number;
  fails = false;

  constructor(total: number) {
    this.total = total;
  }

  read = (start: number, length: number): Promise<readonly string[]> => {
    this.asked.push(start);
    const until = Math.min(this.total, start + length);
    const items = Array.from({ length: Math.max(0, until - start) }, (_, at) => `item ${start + at}`);
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        if (this.fails) reject(new Error('the list is gone'));
        else resolve(items);
      });
    });
  };

  async answer(): Promise<void> {
    for (const go of this.#waiting.splice(0)) go();
    await new Promise((resolve) => setTimeout(resolve));
  }
}

describe('pages of a long list', () => {
  it('are read where they are in sight, each once', async () => {
    const core = new Core(1000);
    const pages = new Pages(20, core.read);
    pages.look(150, 80);
    pages.look(160, 80);
    expect(core.asked).toEqual([100, 200]);
    expect(pages.at(150)).toBeUndefined();
    await core.answer();
    expect([pages.at(150), pages.at(299), pages.at(300)]).toEqual(['item 150', 'item 299', undefined]);
    pages.look(150, 80);
    expect(core.asked).toHaveLength(2);
  });

  it('at the end are read again once the list has grown', async () => {
    const core = new Core(130);
    const pages = new Pages(20, core.read);
    pages.look(100, 30, 130);
    await core.answer();
    pages.look(100, 30, 130);
    expect(core.asked).toEqual([100]);
    core.total = 140;
    pages.look(100, 40, 140);
    await core.answer();
    expect(core.asked).toEqual([100, 100]);
    expect(pages.at(139)).toBe('item 139');
  });

  it('are forgotten when there are many, and read again', async () => {
    const core = new Core(10_000);
    const pages = new Pages(3, core.read);
    for (const start of [0, 100, 200, 300]) {
      pages.look(start, 50);
      await core.answer();
    }
    expect([pages.at(0), pages.at(100), pages.at(300)]).toEqual([undefined, 'item 100', 'item 300']);
    pages.look(0, 50);
    expect(core.asked.at(-1)).toBe(0);
  });

  it('of the list before do not come into another one', async () => {
    const core = new Core(1000);
    const pages = new Pages(20, core.read);
    pages.look(0, 10);
    pages.clear();
    await core.answer();
    expect(pages.at(0)).toBeUndefined();
    pages.look(0, 10);
    await core.answer();
    expect(pages.at(0)).toBe('item 0');
  });

  it('that could not be read say why, until one can be', async () => {
    const core = new Core(1000);
    const pages = new Pages(20, core.read);
    core.fails = true;
    pages.look(0, 10);
    await core.answer();
    expect(pages.error?.message).toBe('the list is gone');
    core.fails = false;
    pages.look(0, 10);
    await core.answer();
    expect(pages.error).toBeNull();
  });
});
