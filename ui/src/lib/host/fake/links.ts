import type { AgreedHost } from '$lib/bindings/AgreedHost';
import type { Link } from '$lib/bindings/Link';
import type { PromptAsk } from '$lib/bindings/PromptAsk';
import type { PromptView } from '$lib/bindings/PromptView';

/** The hosts that links were opened to, by server. */
export class FakeHosts {
  readonly #hosts = new Map<string, AgreedHost[]>();

  of(server: string): { hosts: AgreedHost[] } {
    return { hosts: this.#hosts.get(server) ?? [] };
  }

  add(server: string, host: string): void {
    const { hosts } = this.of(server);
    if (!hosts.some((one) => one.host === host))
      this.#hosts.set(server, [...hosts, { host, since_micros: Date.UTC(2026, 10, 2) * 1000 }]);
  }

  forget(server: string, host: string): { hosts: AgreedHost[] } {
    this.#hosts.set(
      server,
      this.of(server).hosts.filter((one) => one.host !== host),
    );
    return this.of(server);
  }
}

/** A link as the core would judge it, without anything to be said of it. */
export function plainLink(change: Partial<Link> = {}): Link {
  return {
    url: 'https://login.example.com/connect?ticket=7',
    scheme: 'https://',
    user_info: '',
    subdomain: 'login.',
    site: 'example.com',
    port: '',
    rest: '/connect?ticket=7',
    host: 'login.example.com',
    decoded_host: null,
    is_loopback: false,
    warnings: [],
    refusal: null,
    ...change,
  };
}

/** A prompt of the fake's bookings server. */
export function samplePrompt(id: number, message: string, ask: PromptAsk, nowMicros: number): PromptView {
  return {
    id,
    server: 'bookings',
    server_name: 'restaurant-bookings',
    address: 'https://bookings.example/mcp',
    operation: null,
    operation_title: 'tools/call book_table',
    round: 1,
    input_key: `key-${id}`,
    since_micros: nowMicros - 12_000_000,
    lapses_micros: null,
    popped_out: false,
    message,
    ask,
  };
}

/** One of each: a plain link, one with everything wrong, one that is refused, and the wait in the browser. */
export function sampleLinks(nowMicros: number): PromptView[] {
  const odd = plainLink({
    url: 'https://accounts.google.com@xn--80ak6aa92e.com:8443/sign-in?next=%2F',
    user_info: 'accounts.google.com@',
    subdomain: '',
    site: 'xn--80ak6aa92e.com',
    port: ':8443',
    rest: '/sign-in?next=%2F',
    host: 'xn--80ak6aa92e.com',
    decoded_host: 'аррӏе.com',
    warnings: [
      '“accounts.google.com” is not where it leads: what stands before the @ is a user name. The host is xn--80ak6aa92e.com.',
      '“аррӏе” looks like “apple” and is another name, in other letters.',
      'A browser may show its host as аррӏе.com; its real name is xn--80ak6aa92e.com.',
      'Its port is 8443, which is unusual.',
    ],
  });
  const refused = plainLink({
    url: 'http://example.com/pay',
    scheme: 'http://',
    subdomain: '',
    rest: '/pay',
    host: 'example.com',
    warnings: ['It is not encrypted (http).'],
    refusal:
      'It is not encrypted (http) and leads to another computer. Roundtrip opens https links, and http on this computer alone.',
  });
  const asks: [string, PromptAsk][] = [
    ['Sign in to your calendar.', { kind: 'link', link: plainLink(), is_first: true, problem: null }],
    ['Sign in once more.', { kind: 'link', link: odd, is_first: true, problem: null }],
    ['Pay the deposit.', { kind: 'link', link: refused, is_first: false, problem: null }],
    [
      'Connect your files.',
      {
        kind: 'browser',
        links: [plainLink()],
        asked_again: 2,
        next_micros: nowMicros + 4_000_000,
        can_retry: true,
        note: null,
        problem: null,
        keeping: { kind: 'kept', store: 'Secret Service' },
      },
    ],
  ];
  return asks.map(([message, ask], index) => samplePrompt(900 + index, message, ask, nowMicros));
}
