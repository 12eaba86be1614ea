import { mount, unmount } from 'svelte';
import { expect } from 'vitest';
import axe from 'axe-core';
import '../../app.css';
import type { PromptView } from '$lib/bindings/PromptView';
import { FakeHost } from '$lib/host/fake/fake';
import { setHost } from '$lib/host/host';
import { App } from '$lib/state/app.svelte';
import Root from '../../Root.svelte';

let close: (() => Promise<void>) | undefined;

/** The whole window on a fake core that asks these prompts. */
export async function open(
  prompts: (nowMicros: number) => PromptView[],
  prepare?: (host: FakeHost) => void,
): Promise<{ host: FakeHost; app: App }> {
  document.body.innerHTML = '<div id="app"></div>';
  const target = document.querySelector('#app');
  if (target === null) throw new Error('no target');
  const host = new FakeHost({ story: true, pace: 0 });
  host.tellPrompts(prompts(Date.now() * 1000));
  prepare?.(host);
  setHost(host);
  const app = new App(host);
  await app.preferences.load();
  const root = mount(Root, { target, props: { app } });
  close = () => unmount(root);
  await expect.poll(() => app.ready).toBe(true);
  return { host, app };
}

export async function closeAll(): Promise<void> {
  await close?.();
  close = undefined;
  delete document.documentElement.dataset['theme'];
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
