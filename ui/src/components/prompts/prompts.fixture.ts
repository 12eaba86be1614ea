import { onTestFinished } from 'vitest';
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

/** The calls of a command, in order. */
export const calls = (host: FakeHost, name: string): unknown[] =>
  host.asked.filter((one) => one.name === name).map((one) => one.args);
