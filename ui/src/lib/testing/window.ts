import { mount, unmount } from 'svelte';
import { expect, onTestFinished } from 'vitest';
import '../../app.css';
import { FakeHost, type FakeOptions } from '$lib/host/fake/fake';
import { setHost } from '$lib/host/host';
import { App } from '$lib/state/app.svelte';
import Root from '../../Root.svelte';

/** The whole window on a fake host, closed when the test ends. */
export async function openWindow(
  options: FakeOptions,
  preferences: object = {},
): Promise<{ host: FakeHost; app: App }> {
  document.body.innerHTML = '<div id="app"></div>';
  const target = document.querySelector('#app');
  if (target === null) throw new Error('no target');
  const host = new FakeHost(options);
  host.preferences = JSON.stringify(preferences);
  setHost(host);
  const app = new App(host);
  await app.preferences.load();
  const root = mount(Root, { target, props: { app } });
  onTestFinished(async () => {
    await unmount(root);
    sessionStorage.clear();
    document.documentElement.style.zoom = '';
  });
  await expect.poll(() => app.ready).toBe(true);
  return { host, app };
}
