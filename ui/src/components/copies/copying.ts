import type { CopyForm } from '$lib/bindings/CopyForm';
import type { Exchange } from '$lib/bindings/Exchange';
import { errorView } from '$lib/host/host';
import type { App } from '$lib/state/app.svelte';
import { copyText } from '$lib/text/copy';
import { visibleLine } from '$lib/text/visible';
import type { MenuItem } from '../primitives/menu-item';

/** As what a recorded request can be copied. */
export function copyItems(
  app: App,
  operation: number,
  at: number,
  exchange: Pick<Exchange, 'http' | 'request'>,
): MenuItem[] {
  const item = (form: CopyForm, name: string, disabled: boolean): MenuItem => ({
    label: `Copy as ${name}`,
    disabled,
    onselect: () => void copy(app, operation, at, form, name),
  });
  return [
    item('curl', 'cURL', exchange.http === null),
    item('json_rpc', 'JSON-RPC', exchange.request === null),
    item('cli', 'roundtrip-cli', exchange.request === null),
  ];
}

async function copy(app: App, operation: number, at: number, form: CopyForm, name: string): Promise<void> {
  try {
    const { text, secrets } = await app.host.rpc('copy_as', { operation, exchange: at, form });
    await copyText(text);
    const named = secrets.map(visibleLine).join(', ');
    app.toasts.say(
      secrets.length === 0
        ? `Copied as ${name}`
        : `Copied as ${name}. Put in the values of ${named} before it is run.`,
    );
  } catch (thrown) {
    const { message, hint } = errorView(thrown);
    app.toasts.say(visibleLine(`${message} ${hint ?? ''}`.trim()), undefined, 'error');
  }
}
