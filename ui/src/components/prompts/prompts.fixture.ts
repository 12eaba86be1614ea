import { onTestFinished } from 'vitest';
import axe from 'axe-core';
import type { PromptView } from '$lib/bindings/PromptView';
import type { FakeHost } from '$lib/host/fake/fake';
import type { App } from '$lib/state/app.svelte';
import { openWindow } from '$lib/testing/window';

/** The whole window on a fake core that asks these prompts. */
export function open(
  prompts: (nowMicros: number) => PromptView[],
  prepare?: (host: FakeHost) => void,
): Promise<{ host: FakeHost; app: App }> {
  onTestFinished(() => {
    delete document.documentElement.dataset['theme'];
  });
  return openWindow({ story: true, pace: 0 }, {}, (host) => {
    host.prompts.all = prompts(Date.now() * 1000);
    prepare?.(host);
  });
}

/** What axe has against the prompts, in the theme that stands now. */
export async function axeProblems(): Promise<string[]> {
  const prompts = document.querySelector('[aria-label="Open prompts"]');
  if (prompts === null) throw new Error('no prompts');
  const { violations } = await axe.run(prompts);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
}

/** The calls of a command, in order. */
export const calls = (host: FakeHost, name: string): unknown[] =>
  host.asked.filter((one) => one.name === name).map((one) => one.args);
