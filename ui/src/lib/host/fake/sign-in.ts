import type { SignInNews } from '$lib/bindings/SignInNews';
import type { SignInOptions } from '$lib/bindings/SignInOptions';
import type { SignInStep } from '$lib/bindings/SignInStep';
import type { SignInTrace } from '$lib/bindings/SignInTrace';
import type { SignInView } from '$lib/bindings/SignInView';
import type { SignedIn } from '$lib/bindings/SignedIn';
import { failure } from './failure';
import { nowMicros } from './journal';

const AS = 'https://login.staging.example';
const RESOURCE = 'https://billing.staging.example/mcp';

const passed = (what: string, clause: string): SignInTrace['checks'][number] => ({
  verdict: 'passed',
  what,
  clause,
  advice: null,
});

/** A sign-in that goes well, step by step. */
const GOOD: readonly SignInTrace[] = [
  {
    stage: 'challenge',
    from: 'server',
    to: 'app',
    title: 'The server refuses',
    sent: `POST ${RESOURCE}`,
    came: 'HTTP 401\nWWW-Authenticate: Bearer scope="invoices:read"',
    checks: [
      passed('The server says that it wants a sign-in.', '2026-07-28 basic/authorization § Error Handling'),
      {
        verdict: 'warned',
        what: 'The challenge names no metadata.',
        clause: 'RFC 9728 § 5.1',
        advice: 'Add resource_metadata to the challenge.',
      },
    ],
    decision: 'The challenge names no metadata, so its well-known addresses are asked in order.',
  },
  {
    stage: 'resource_metadata',
    from: 'app',
    to: 'server',
    title: 'Protected resource metadata',
    sent: 'GET https://billing.staging.example/.well-known/oauth-protected-resource/mcp',
    came: `HTTP 200\nresource = ${RESOURCE}\nauthorization_servers = ${AS}`,
    checks: [passed(`The metadata is about this server: ${RESOURCE}`, 'RFC 9728 § 3.3')],
    decision: `Ask ${AS} about itself.`,
  },
  {
    stage: 'server_metadata',
    from: 'app',
    to: 'authorization_server',
    title: 'Authorization server metadata',
    sent: `GET ${AS}/.well-known/oauth-authorization-server`,
    came: `HTTP 200\nissuer = ${AS}`,
    checks: [
      passed(`The issuer is the one that was asked for: ${AS}`, 'RFC 8414 § 3.3'),
      passed('It knows PKCE with S256.', 'Authorization Code Protection'),
    ],
    decision: 'Choose who Roundtrip is.',
  },
  {
    stage: 'client',
    from: 'app',
    to: 'authorization_server',
    title: 'Dynamic registration',
    sent: `POST ${AS}/register`,
    came: 'HTTP 201\nclient_id = rt-4711',
    checks: [passed(`The identity is kept for ${AS} alone.`, 'Authorization Server Binding')],
    decision: 'Ask for consent.',
  },
  {
    stage: 'consent',
    from: 'app',
    to: 'person',
    title: 'Consent in the browser',
    sent: `GET ${AS}/authorize\nresponse_type = code\nclient_id = rt-4711\nscope = invoices:read`,
    came: `code = …\nstate = s3cr\niss = ${AS}`,
    checks: [passed('The state is the one that was sent.', 'Open Redirection')],
    decision: 'Exchange the code for a token.',
  },
  {
    stage: 'token',
    from: 'app',
    to: 'authorization_server',
    title: 'Token',
    sent: `POST ${AS}/token\ngrant_type = authorization_code\ncode = …\ncode_verifier = …`,
    came: 'HTTP 200\naccess_token = …\nexpires_in = 900\nscope = invoices:read',
    checks: [passed('It is for this server (aud).', 'Token Audience Binding and Validation')],
    decision: 'Signed in.',
  },
];

/** The same until the issuer proves to be another one. */
const BROKEN: readonly SignInTrace[] = [
  ...GOOD.slice(0, 2),
  {
    stage: 'server_metadata',
    from: 'app',
    to: 'authorization_server',
    title: 'Authorization server metadata',
    sent: `GET ${AS}/.well-known/oauth-authorization-server`,
    came: `HTTP 200\nissuer = ${AS}/`,
    checks: [
      {
        verdict: 'failed',
        what: `The metadata says that its issuer is ${AS}/, and it was fetched for ${AS}.`,
        clause: 'RFC 8414 § 3.3',
        advice:
          'Set "issuer" to exactly the identifier that the resource’s metadata names, to the character.',
      },
    ],
    decision: null,
  },
];

export const NO_OPTIONS: SignInOptions = {
  how: 'person',
  client_id: null,
  client_issuer: null,
  client_method: null,
  metadata_document: null,
  scopes: null,
  resource: null,
  omit_resource: false,
  issuer: null,
  authorization_endpoint: null,
  token_endpoint: null,
  provider_token_endpoint: null,
  provider_client_id: null,
};

function signedIn(now: number): SignedIn {
  return {
    issuer: AS,
    client_id: 'rt-4711',
    client_kind: 'registered',
    client_method: 'none',
    resource: RESOURCE,
    requested: ['invoices:read'],
    granted: ['invoices:read'],
    obtained_micros: now,
    expires_micros: now + 900_000_000,
    can_revoke: true,
    bound_to: null,
    tokens: [
      {
        what: 'access token',
        claims: `{\n  "iss": "${AS}",\n  "aud": "${RESOURCE}",\n  "scope": "invoices:read"\n}`,
        expires_micros: now + 900_000_000,
        audience: [RESOURCE],
        fits_server: true,
        lacking: [],
      },
      {
        what: 'refresh token',
        claims: null,
        expires_micros: null,
        audience: [],
        fits_server: null,
        lacking: [],
      },
    ],
  };
}

/** Sign-ins without a browser: the consent comes by itself after a while. */
export class FakeSignIns {
  readonly #views = new Map<string, SignInView>();
  readonly #changed: (server: string, news: SignInNews) => void;
  readonly #sleep: (millis: number) => Promise<void>;
  readonly #signedIn: (server: string) => void;
  #go: ((toTheEnd: boolean) => void) | undefined;
  #operation = 9000;
  /** The next sign-in meets an authorization server with another issuer. */
  isBroken = false;

  constructor(
    sleep: (millis: number) => Promise<void>,
    changed: (server: string, news: SignInNews) => void,
    signedInTo: (server: string) => void,
  ) {
    this.#sleep = sleep;
    this.#changed = changed;
    this.#signedIn = signedInTo;
  }

  view(server: string): SignInView {
    const known = this.#views.get(server);
    if (known !== undefined) return structuredClone(known);
    return {
      news: {
        state: server === 'billing' ? 'needed' : 'none',
        version: 0,
        issuer: null,
        scopes: [],
        expires_micros: null,
        refreshes: false,
        session_only: null,
      },
      operation: null,
      steps: [],
      is_paused: false,
      open_url: null,
      browser_problem: null,
      error: null,
      asks_for_client: false,
      signed_in: null,
      options: NO_OPTIONS,
      kept_secrets: [],
    };
  }

  start(server: string, stepByStep: boolean): number {
    this.#operation += 1;
    void this.#run(server, stepByStep);
    return this.#operation;
  }

  next(toTheEnd: boolean): null {
    if (this.#go === undefined) throw failure('gone', 'No sign-in waits for its next step.');
    this.#go(toTheEnd);
    return null;
  }

  save(server: string, options: SignInOptions, secrets: readonly string[]): null {
    const view = this.view(server);
    this.#set(server, { options, kept_secrets: [...new Set([...view.kept_secrets, ...secrets])] });
    return null;
  }

  signOut(server: string): number {
    this.#set(server, { signed_in: null, steps: [] }, 'none');
    return this.#operation;
  }

  async #run(server: string, stepByStep: boolean): Promise<void> {
    const traces = this.isBroken ? BROKEN : GOOD;
    let paused = stepByStep;
    this.#set(server, { steps: [], error: null, operation: this.#operation }, 'running');
    for (const trace of traces) {
      if (paused) {
        this.#set(server, { is_paused: true });
        paused = !(await new Promise<boolean>((resolve) => (this.#go = resolve)));
        this.#set(server, { is_paused: false });
      }
      const began = nowMicros();
      const open: SignInStep = {
        trace: { ...trace, came: null, checks: [], decision: null },
        started_micros: began,
        ended_micros: null,
        round: this.view(server).steps.length + 1,
      };
      const before = this.view(server).steps;
      this.#set(server, {
        steps: [...before, open],
        open_url: trace.stage === 'consent' ? `${AS}/authorize?client_id=rt-4711&state=s3cr` : null,
      });
      await this.#sleep(trace.stage === 'consent' ? 2500 : 250);
      this.#set(server, {
        steps: [...before, { ...open, trace, ended_micros: nowMicros() }],
        open_url: null,
      });
    }
    this.#go = undefined;
    const broken = traces.at(-1)?.checks.find((check) => check.verdict === 'failed');
    if (broken !== undefined) {
      const error = { code: 'failed' as const, message: broken.what, hint: broken.advice };
      this.#set(server, { error }, 'needed');
      return;
    }
    this.#set(server, { signed_in: signedIn(nowMicros()) }, 'signed_in');
    this.#signedIn(server);
  }

  #set(server: string, change: Partial<SignInView>, state?: SignInNews['state']): void {
    const before = this.view(server);
    const view = { ...before, ...change };
    view.news = {
      ...before.news,
      state: state ?? before.news.state,
      version: before.news.version + 1,
      issuer: view.signed_in?.issuer ?? null,
      scopes: view.signed_in?.granted ?? [],
      expires_micros: view.signed_in?.expires_micros ?? null,
      refreshes: view.signed_in !== null,
    };
    this.#views.set(server, view);
    this.#changed(server, view.news);
  }
}
