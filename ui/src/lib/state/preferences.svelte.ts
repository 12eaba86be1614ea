import { rpc } from '$lib/host/host';

export type Theme = 'system' | 'light' | 'dark';
export type WorkbenchTab = 'overview' | 'tools' | 'resources' | 'prompts';

interface Remembered {
  theme: Theme;
  tab: WorkbenchTab;
  /** The server that was chosen last. */
  server: string | null;
  /** Of the timeline: only the chosen server's rows. */
  thisServerOnly: boolean;
  /** The right pane is open. */
  rightOpen: boolean;
  /** Widths of the outer panes in CSS pixels, and the workbench's share of the centre in percent. */
  leftPixels: number;
  rightPixels: number;
  workbenchPercent: number;
  toolListPixels: number;
}

const DEFAULTS: Remembered = {
  theme: 'system',
  tab: 'overview',
  server: null,
  thisServerOnly: false,
  rightOpen: true,
  leftPixels: 248,
  rightPixels: 400,
  workbenchPercent: 46,
  toolListPixels: 250,
};

const SAVE_AFTER_MILLIS = 400;

/** What the view remembers between starts. An unreadable text means the defaults, key by key. */
export class Preferences {
  #values: Remembered = $state.raw(DEFAULTS);
  #timer: ReturnType<typeof setTimeout> | undefined;

  get values(): Readonly<Remembered> {
    return this.#values;
  }

  async load(): Promise<void> {
    try {
      this.#values = readRemembered(await rpc('preferences', {}));
    } catch {
      // Without its preferences the window opens with the defaults; nothing else depends on them.
      this.#values = DEFAULTS;
    }
    this.#showTheme();
  }

  set(change: Partial<Remembered>): void {
    const entries = Object.entries(change) as [keyof Remembered, unknown][];
    if (entries.every(([key, value]) => this.#values[key] === value)) return;
    this.#values = { ...this.#values, ...change };
    if ('theme' in change) this.#showTheme();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#save(), SAVE_AFTER_MILLIS);
  }

  async #save(): Promise<void> {
    try {
      await rpc('save_preferences', { json: JSON.stringify(this.#values) });
    } catch {
      // The next change tries again; a lost width is not worth a message.
    }
  }

  #showTheme(): void {
    const { theme } = this.#values;
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
  }
}

/** Reads what was saved, also by an older version: a key of the wrong type falls back to its default. */
export function readRemembered(json: string): Remembered {
  let read: unknown;
  try {
    read = JSON.parse(json === '' ? '{}' : json);
  } catch {
    return DEFAULTS;
  }
  if (typeof read !== 'object' || read === null) return DEFAULTS;
  const saved = read as Partial<Record<keyof Remembered, unknown>>;
  const values: Remembered = { ...DEFAULTS };
  if (saved.theme === 'light' || saved.theme === 'dark') values.theme = saved.theme;
  if (saved.tab === 'tools' || saved.tab === 'resources' || saved.tab === 'prompts') values.tab = saved.tab;
  if (typeof saved.server === 'string') values.server = saved.server;
  if (typeof saved.thisServerOnly === 'boolean') values.thisServerOnly = saved.thisServerOnly;
  if (typeof saved.rightOpen === 'boolean') values.rightOpen = saved.rightOpen;
  for (const key of ['leftPixels', 'rightPixels', 'workbenchPercent', 'toolListPixels'] as const) {
    const value = saved[key];
    if (typeof value === 'number' && Number.isFinite(value) && value > 0) values[key] = value;
  }
  return values;
}

export const preferences = new Preferences();
