import { mount } from 'svelte';
import './app.css';
import { setHost, type Host } from '$lib/host/host';
import { insideTauri, TauriHost } from '$lib/host/tauri';
import { App } from '$lib/state/app.svelte';
import Root from './Root.svelte';

async function chooseHost(): Promise<Host> {
  if (__FAKE_HOST__ && (!insideTauri() || new URLSearchParams(location.search).has('fake'))) {
    const { fakeFromAddress } = await import('$lib/host/fake/fake');
    return fakeFromAddress(location.search);
  }
  return new TauriHost();
}

if (!navigator.userAgent.includes('Linux')) document.documentElement.dataset['fonts'] = 'system';

const host = await chooseHost();
setHost(host);
const own = new URLSearchParams(location.search).get('prompt');
const app = new App(host, own === null ? undefined : Number(own));
// The feed is on its way while the window is made.
app.start();
// The panes begin with the widths that were left; one short question before the first picture.
await app.preferences.load();

const target = document.getElementById('app');
if (target === null) throw new Error('index.html has no #app');
mount(Root, { target, props: { app } });
