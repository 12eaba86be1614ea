import type { ServerChanges } from '$lib/bindings/ServerChanges';
import type { ServerIcons } from '$lib/bindings/ServerIcons';
import type { Handlers } from './handlers';

const ICON =
  'data:image/svg+xml;base64,' +
  btoa(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><circle cx="24" cy="24" r="22" fill="#b5552f"/><circle cx="24" cy="24" r="12" fill="#fffdf8"/></svg>',
  );

/** What a server is about beside what it reports. */
export class FakeAbout {
  icons: ServerIcons = {
    icons: [
      { src: 'data:image/svg+xml;base64,…', picture: ICON, problem: null },
      {
        src: 'http://bookings.example.com/icon.png',
        picture: null,
        problem: 'Its URI is neither https nor data, but http.',
      },
    ],
  };
  changes: ServerChanges = {
    since_micros: Date.UTC(2026, 10, 2, 9, 30) * 1000,
    facts: [
      { what: 'version', before: '1.3.0', now: '1.4.0' },
      { what: 'instructions', before: 'Book tables.\nBe kind.', now: 'Book tables.\nBe very kind.' },
      { what: 'capability completions', before: null, now: '{}' },
    ],
    lists: [
      { list: 'tools', new: ['cancel_booking'], gone: ['old_tool'], changed: ['book_table'], count: 3 },
    ],
  };

  readonly handlers: Handlers<'server_changes' | 'server_icons'> = {
    server_changes: () => this.changes,
    server_icons: () => this.icons,
  };
}
