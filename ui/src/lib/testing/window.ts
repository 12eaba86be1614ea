import { mount, unmount } from 'svelte';
import { expect, onTestFinished } from 'vitest';
import { page } from 'vitest/browser';
import '../../app.css';
import { FakeHost, type FakeOptions } from '$lib/host/fake/fake';
import { setHost } from '$lib/host/host';
import { App } from '$lib/state/app.svelte';
import { bring } from '$components/shell/bring';
import Root from '../../Root.svelte';

/** The whole window on a fake host, closed when the test ends, or before as a window that is left. */
export async function openWindow(
  options: FakeOptions,
  preferences: object = {},
  prepare?: (host: FakeHost) => void,
): Promise<{ host: FakeHost; app: App; close: () => Promise<void> }> {
  document.body.innerHTML = '<div id="app"></div>';
  const target = document.querySelector('#app');
  if (target === null) throw new Error('no target');
  const host = new FakeHost(options);
  host.preferences = JSON.stringify(preferences);
  prepare?.(host);
  setHost(host);
  const app = new App(host);
  await app.preferences.load();
  const root = mount(Root, { target, props: { app } });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await unmount(root);
    isOpen = false;
  };
  onTestFinished(async () => {
    await close();
    sessionStorage.clear();
    await page.viewport(1440, 900);
    document.documentElement.style.zoom = '';
  });
  await expect.poll(() => app.ready).toBe(true);
  await bring();
  return { host, app, close };
}
