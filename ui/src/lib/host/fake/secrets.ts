import type { ClearSecrets } from '$lib/bindings/ClearSecrets';
import type { ClearValue } from '$lib/bindings/ClearValue';
import type { Endpoint } from '$lib/bindings/Endpoint';
import type { NamedValue } from '$lib/bindings/NamedValue';
import type { SecretView } from '$lib/bindings/SecretView';
import type { StoreCondition } from '$lib/bindings/StoreCondition';
import { failure } from './failure';
import type { Handlers } from './handlers';
import { nowMicros } from './journal';

type OfSecrets =
  | 'secrets'
  | 'show_secret'
  | 'replace_secret'
  | 'delete_secret'
  | 'restore_secret'
  | 'move_secret'
  | 'clear_secrets'
  | 'unlock_keyring';

/** The secrets of a core in the page. */
export class FakeSecrets {
  condition: StoreCondition = 'unlocked';
  all: SecretView[] = [];
  clear: ClearValue[] = [];
  readonly values = new Map<string, string>();

  /** As after some days of work. */
  tell(): void {
    const now = nowMicros();
    this.add('billing-staging/Authorization', 'header Authorization', {
      last_used_micros: now - 3_600_000_000,
    });
    this.add('filesystem/API_KEY', 'variable API_KEY', { state: 'missing' });
    this.add('sign-in 0199', 'sign-in', { kind: 'sign_in', last_used_micros: now - 42_000_000 });
    this.add('links restaurant-bookings', 'link flow', { kind: 'link_flow' });
    const filesystem = { server: 'srv-2', server_name: 'filesystem' };
    this.clear = [
      { ...filesystem, name: 'GITHUB_TOKEN', place: 'named' },
      { ...filesystem, name: 'api-key', place: 'argument' },
    ];
  }

  add(name: string, used_as: string, change: Partial<SecretView> = {}): void {
    const server_name = name.split('/')[0] ?? name;
    this.all.push({
      name,
      kind: 'value',
      uses: [{ server: 'srv-1', server_name, used_as }],
      state: 'kept',
      last_used_micros: null,
      can_be_restored: false,
      ...change,
    });
    this.values.set(name, `value of ${name}`);
  }

  readonly handlers: Handlers<OfSecrets> = {
    secrets: () => ({
      store: { name: 'Secret Service', condition: this.condition },
      secrets: this.all,
      in_the_clear: this.clear,
    }),
    show_secret: ({ name }) => {
      if (this.#get(name).kind !== 'value')
        throw failure('bad_input', 'This was given by a server, and is shown and changed nowhere.');
      return { value: this.values.get(name) ?? '' };
    },
    replace_secret: ({ name, value, session_only }) => {
      this.#get(name);
      if (this.condition === 'locked' && !session_only)
        throw failure('not_kept', 'The value could not be kept as a secret: Secret Service is locked.');
      this.values.set(name, value);
      this.#change(name, { state: session_only ? 'session_only' : 'kept', can_be_restored: false });
      return null;
    },
    delete_secret: ({ name }) => {
      if (this.#get(name).kind === 'value') this.#change(name, { state: 'missing', can_be_restored: true });
      else this.all = this.all.filter((secret) => secret.name !== name);
      return null;
    },
    restore_secret: ({ name }) => {
      this.#change(name, { state: 'kept', can_be_restored: false });
      return null;
    },
    move_secret: ({ name }) => {
      this.clear = this.clear.filter((clear) => clear.name !== name);
      return null;
    },
    clear_secrets: ({ endpoint }) => clearSecrets(endpoint),
    unlock_keyring: () => {
      this.condition = 'unlocked';
      return { name: 'Secret Service', condition: this.condition };
    },
  };

  #get(name: string): SecretView {
    const secret = this.all.find((one) => one.name === name);
    if (secret === undefined) throw failure('gone', `No server uses a secret named ${name}.`);
    return secret;
  }

  #change(name: string, change: Partial<SecretView>): void {
    this.all = this.all.map((secret) => (secret.name === name ? { ...secret, ...change } : secret));
  }
}

/** Finds `--api-key=VALUE` in arguments and `api_key=VALUE` in a URL. */
export function clearSecrets(endpoint: Endpoint): ClearSecrets {
  const secrets: NamedValue[] = [];
  const taken = (text: string): string =>
    text.replace(/(api[-_]key)=([^&${}]+)/, (_, name: string, value: string) => {
      secrets.push({ name, value, secret: true });
      return `${name}=\${secret:${name}}`;
    });
  if (endpoint.transport === 'http') {
    const url = taken(endpoint.url);
    return { endpoint: { ...endpoint, url }, secrets };
  }
  const args = endpoint.args.map(taken);
  return { endpoint: { ...endpoint, args }, secrets };
}
