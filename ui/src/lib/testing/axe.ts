import axe from 'axe-core';

/** What a component that stands alone on a test's page cannot have. */
const OF_PAGES = ['region', 'page-has-heading-one', 'landmark-one-main'];

export interface AxeOptions {
  /** The page is whole, so that landmarks and headings count. */
  page?: boolean;
  /** Selectors of what is left out. */
  exclude?: string[];
  /** In which themes it is looked at; in both without it. */
  themes?: readonly ('light' | 'dark')[];
}

/** What axe finds wrong with what is drawn now, a line each: in each theme, because contrast differs. For tests. */
export async function axeProblems({
  page = false,
  exclude = [],
  themes = ['light', 'dark'],
}: AxeOptions = {}): Promise<string[]> {
  const root = document.documentElement;
  const before = root.dataset['theme'];
  const rules = page ? {} : Object.fromEntries(OF_PAGES.map((rule) => [rule, { enabled: false }]));
  const found: string[] = [];
  for (const theme of themes) {
    root.dataset['theme'] = theme;
    const { violations } = await axe.run({ exclude }, { resultTypes: ['violations'], rules });
    for (const { id, nodes } of violations) {
      found.push(`${theme}: ${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`);
    }
  }
  if (before === undefined) delete root.dataset['theme'];
  else root.dataset['theme'] = before;
  return found;
}
