/** Links that servers ask to open, as a person meets them. */

import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { failure } from '$lib/host/fake/failure';
import { plainLink, samplePrompt } from '$lib/host/fake/links';
import type { PromptAsk } from '$lib/bindings/PromptAsk';
import { calls, open } from './prompts.fixture';

const one =
  (ask: PromptAsk, message = 'Sign in to your calendar.') =>
  (now: number) => [samplePrompt(1, message, ask, now)];
const link = (change: Partial<Extract<PromptAsk, { kind: 'link' }>> = {}): PromptAsk => ({
  kind: 'link',
  link: plainLink(),
  is_first: true,
  problem: null,
  ...change,
});
const browser = (change: Partial<Extract<PromptAsk, { kind: 'browser' }>> = {}): PromptAsk => ({
  kind: 'browser',
  links: [plainLink()],
  asked_again: 0,
  next_micros: null,
  can_retry: true,
  note: null,
  problem: null,
  keeping: { kind: 'none' },
  ...change,
});
const card = page.getByRole('article', { name: 'Prompt from restaurant-bookings' });
const button = (name: string) => card.getByRole('button', { name, exact: true });

describe('a link', () => {
  it('is shown whole with its host standing out, and is no link to click', async () => {
    await open(one(link()));
    await expect.element(card).toHaveTextContent('restaurant-bookings asks you to open a link');
    await expect.element(card).toHaveTextContent('https://bookings.example/mcp');
    const text = document.querySelector('[data-link]');
    expect(text?.textContent.trim()).toBe('https://login.example.com/connect?ticket=7');
    expect(text?.querySelector('strong')?.textContent).toBe('example.com');
    expect(document.querySelector('article a')).toBeNull();
    await expect.element(card).toHaveTextContent('You have not opened a link to it for this server before.');
  });

  it('is opened by the core alone, and only on the word', async () => {
    const { host } = await open(one(link({ is_first: false })));
    await expect.element(card).not.toHaveTextContent('before.');
    expect(calls(host, 'answer_prompt')).toEqual([]);
    await button('Open in browser').click();
    expect(calls(host, 'answer_prompt')).toEqual([{ prompt: 1, action: 'accept', content: null }]);
  });

  it('that is refused says why, can be copied and declined, and not opened', async () => {
    const refused = plainLink({
      url: 'javascript:alert(1)',
      scheme: '',
      subdomain: '',
      site: '',
      rest: '',
      host: '',
      refusal: 'Its scheme is javascript.',
    });
    const { host } = await open(one(link({ link: refused })));
    await expect.element(card).toHaveTextContent('This link is not opened. Its scheme is javascript.');
    expect(document.querySelector('[data-link]')?.textContent.trim()).toBe('javascript:alert(1)');
    expect(button('Open in browser').query()).toBeNull();
    await expect.element(button('Copy link')).toBeEnabled();
    expect(button('I opened it myself').query()).toBeNull();
    await button('Decline').click();
    expect(calls(host, 'answer_prompt')).toEqual([{ prompt: 1, action: 'decline', content: null }]);
  });

  it('says what to think of, with hidden characters made visible', async () => {
    const odd = plainLink({
      rest: '/\u202Egpj.exe',
      warnings: ['“a\u200Bb” mixes letters.', 'Its port is 1.'],
    });
    await open(one(link({ link: odd })));
    const list = card.getByRole('list', { name: 'What to think of' });
    await expect.element(list).toHaveTextContent('“a⟨U+200B⟩b” mixes letters.');
    expect(list.getByRole('listitem').elements()).toHaveLength(2);
    expect(document.querySelector('[data-link]')?.textContent).toContain('/⟨U+202E⟩gpj.exe');
  });

  it('can be opened by hand when the browser does not start', async () => {
    const problem = 'The browser could not be started: no xdg-open. Copy the link and open it yourself.';
    const { host } = await open(one(link({ problem })));
    await expect.element(card.getByRole('alert')).toHaveTextContent(problem);
    await button('I opened it myself').click();
    expect(calls(host, 'link')).toEqual([{ prompt: 1, act: { kind: 'opened_by_hand' } }]);
  });

  it('tells what went wrong when the core refuses', async () => {
    const { host } = await open(one(link()));
    const rpc = host.rpc.bind(host);
    host.rpc = (name, args) =>
      name === 'answer_prompt' ? Promise.reject(failure('failed', 'It broke.')) : rpc(name, args);
    await button('Open in browser').click();
    await expect.element(card).toHaveTextContent('It broke.');
    await expect.element(button('Open in browser')).toBeEnabled();
  });
});

describe('the wait in the browser', () => {
  it('counts down, and can be hurried, opened again and cancelled', async () => {
    const { host } = await open((now) =>
      one(browser({ asked_again: 2, next_micros: now + 30_000_000 }))(now),
    );
    await expect.element(card).toHaveTextContent(/The server is asked again in (29|30) s/);
    await expect.element(card).toHaveTextContent('It has asked for the same link 2 more times');
    await button('Retry now').click();
    await button('Open again').click();
    expect(calls(host, 'link')).toEqual([
      { prompt: 1, act: { kind: 'retry_now' } },
      { prompt: 1, act: { kind: 'open_again', index: 0 } },
    ]);
    await button('Cancel').click();
    expect(calls(host, 'answer_prompt')).toEqual([{ prompt: 1, action: 'cancel', content: null }]);
  });

  it('cannot be hurried while the server is being asked', async () => {
    await open(one(browser({ can_retry: false })));
    await expect.element(card).toHaveTextContent('The server has been told; its answer is awaited.');
    await expect.element(button('Retry now')).toBeDisabled();
  });

  it('says when the server is asked no more by itself', async () => {
    await open(one(browser({ asked_again: 12, note: 'Roundtrip asks it no more by itself.' })));
    await expect.element(card.getByRole('status').first()).toBeInTheDocument();
    await expect.element(card).toHaveTextContent('Roundtrip asks it no more by itself.');
    await expect.element(button('Retry now')).toBeEnabled();
  });
});

describe('what it takes to go on after the browser', () => {
  it('is kept in a store that is named', async () => {
    await open(one(browser({ keeping: { kind: 'kept', store: 'Secret Service' } })));
    await expect.element(card).toHaveTextContent('You may close Roundtrip meanwhile');
    await expect.element(card).toHaveTextContent('is kept in Secret Service');
  });

  it('ends with Roundtrip where there is no keyring, and says why', async () => {
    const why = 'Secret Service is locked. Unlock it and try again.';
    await open(one(browser({ keeping: { kind: 'session_only', why } })));
    await expect.element(card).toHaveTextContent(`This ends when Roundtrip is closed`);
    await expect.element(card).toHaveTextContent(why);
  });
});

describe('the hosts that were agreed to', () => {
  it('are listed on the overview and can be forgotten', async () => {
    const { host } = await open(
      () => [],
      (fake) => {
        fake.preferences = JSON.stringify({ server: 'bookings', tab: 'overview' });
        fake.hosts.add('bookings', 'login.example.com');
      },
    );
    const hosts = page.getByRole('region', { name: 'Hosts that you opened links to' });
    await expect.element(hosts).toHaveTextContent('login.example.com');
    await hosts.getByRole('button', { name: 'Forget login.example.com' }).click();
    expect(calls(host, 'forget_host')).toEqual([{ server: 'bookings', host: 'login.example.com' }]);
    await expect.poll(() => hosts.query()).toBeNull();
  });
});
