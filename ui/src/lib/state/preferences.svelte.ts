import { rpc, zoomPage } from '$lib/host/host';
import { setRowHeight } from '$lib/timeline/window';
import { nearestZoom } from './zoom';

export type Theme = 'system' | 'light' | 'dark' | 'contrast';
export type Density = 'comfortable' | 'compact';
export type WorkbenchTab =
  'overview' | 'tools' | 'resources' | 'prompts' | 'tasks' | 'logs' | 'findings' | 'composer';

const TABS: readonly WorkbenchTab[] = [
  'overview',
  'tools',
  'resources',
  'prompts',
  'tasks',
  'logs',
  'findings',
  'composer',
];

interface Remembered {
  theme: Theme;
  density: Density;
  /** How many times as large as usual everything is drawn. */
  zoom: number;
  /** Destructive things are asked about before they are done. */
  confirmDestructive: boolean;
  /** Tools stand under what their names begin with. */
  groupTools: boolean;
  /** A tool's schemas stand beside its form. */
  schemaBeside: boolean;
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
  density: 'comfortable',
  zoom: 1,
  confirmDestructive: true,
  groupTools: false,
  schemaBeside: false,
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
    this.#showLook();
    if (this.#values.zoom !== 1) this.#showZoom();
  }

  set(change: Partial<Remembered>): void {
    const entries = Object.entries(change) as [keyof Remembered, unknown][];
    if (entries.every(([key, value]) => this.#values[key] === value)) return;
    this.#values = { ...this.#values, ...change };
    if ('theme' in change || 'density' in change) this.#showLook();
    if ('zoom' in change) this.#showZoom();
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

  #showZoom(): void {
    // A window that cannot be zoomed stays as it is.
    void zoomPage(this.#values.zoom).catch(() => undefined);
  }

  #showLook(): void {
    const { theme, density } = this.#values;
    const { dataset } = document.documentElement;
    if (theme === 'light' || theme === 'dark') dataset['theme'] = theme;
    else delete dataset['theme'];
    // The system's own wish for contrast counts where the theme is the system's.
    const wanted = theme === 'system' && matchMedia('(prefers-contrast: more)').matches;
    if (theme === 'contrast' || wanted) dataset['contrast'] = 'more';
    else delete dataset['contrast'];
    dataset['density'] = density;
    setRowHeight(density);
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
  if (saved.theme === 'light' || saved.theme === 'dark' || saved.theme === 'contrast') {
    values.theme = saved.theme;
  }
  if (saved.density === 'compact') values.density = saved.density;
  if (typeof saved.zoom === 'number') values.zoom = nearestZoom(saved.zoom);
  for (const key of ['confirmDestructive', 'groupTools', 'schemaBeside'] as const) {
    const value = saved[key];
    if (typeof value === 'boolean') values[key] = value;
  }
  const tab = TABS.find((one) => one === saved.tab);
  if (tab !== undefined) values.tab = tab;
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
