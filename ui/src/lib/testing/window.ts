import { mount, tick, unmount } from 'svelte';
import { expect, onTestFinished } from 'vitest';
import { page } from 'vitest/browser';
import '../../app.css';
import { FakeHost, type FakeOptions } from '$lib/host/fake/fake';
import { setHost } from '$lib/host/host';
import { App } from '$lib/state/app.svelte';
import { bring } from '$components/shell/bring';
import Root from '../../Root.svelte';

// What the first picture does without is here before the first test, which would pay for all of it.
await bring();

let closeOpen: (() => Promise<void>) | undefined;

interface Opened {
  host: FakeHost;
  app: App;
  close: () => Promise<void>;
}

/** The whole window on a fake host, closed when the test ends, or before as a window that is left. */
export function openWindow(
  options: FakeOptions,
  preferences: object = {},
  prepare?: (host: FakeHost) => void,
): Promise<Opened> {
  const host = new FakeHost(options);
  host.preferences = JSON.stringify(preferences);
  prepare?.(host);
  return openOn(host);
}

/** The same on a host that there is, in the place of the window before; or the own window of a prompt. */
export async function openOn(host: FakeHost, ownPrompt?: number): Promise<Opened> {
  await closeOpen?.();
  document.body.innerHTML = '<div id="app"></div>';
  const target = document.querySelector('#app');
  if (target === null) throw new Error('no target');
  setHost(host);
  const app = new App(host, ownPrompt);
  await app.preferences.load();
  const root = mount(Root, { target, props: { app } });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await unmount(root);
    isOpen = false;
  };
  closeOpen = close;
  onTestFinished(async () => {
    await close();
    sessionStorage.clear();
    await page.viewport(1440, 900);
    document.documentElement.style.zoom = '';
  });
  await expect.poll(() => app.ready).toBe(true);
  // What waits for these parts is drawn by now.
  await bring();
  await tick();
  return { host, app, close };
}
