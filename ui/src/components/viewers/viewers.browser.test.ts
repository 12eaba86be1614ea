import { afterEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { render } from 'vitest-browser-svelte';
import '../../app.css';
import { FakeHost } from '$lib/host/fake/fake';
import { PICTURE } from '$lib/host/fake/picture';
import { setHost } from '$lib/host/host';
import { textSource } from '$lib/json/source';
import ContentViewer from './ContentViewer.svelte';
import JsonTreeView from './JsonTreeView.svelte';

/** A PDF of one empty page. */
const PDF = btoa(
  '%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj\ntrailer<</Root 1 0 R>>\n',
);

let host: FakeHost;

function show(props: Record<string, unknown>): void {
  host = new FakeHost({ pace: 0 });
  setHost(host);
  render(ContentViewer, { props: { label: 'It', mimeType: null, ...props } });
}

/** What the page asked the network for since the test began. */
const fetched = (): string[] =>
  performance
    .getEntriesByType('resource')
    .map((entry) => entry.name)
    .filter((name) => name.includes('evil.example'));

afterEach(() => {
  expect(fetched()).toEqual([]);
});

describe('content is shown as what it is', () => {
  it('Markdown from tokens: no HTML, no fetched picture, no link that opens', async () => {
    show({
      mimeType: 'text/markdown',
      text: [
        '# Menu',
        '',
        'A **bold** [site](https://evil.example/a) and ![pic](https://evil.example/p.png) &amp; more',
        '',
        '<script>window.hacked = true</script>',
        '',
        '<img src="https://evil.example/x.png" onerror="window.hacked = true">',
        '',
        '| a | b |',
        '|---|---|',
        '| 1 | 2 |',
        '',
        '3. three',
        '4. four',
        '',
        '```js',
        'let x = 1;',
        '```',
      ].join('\n'),
    });
    await expect.element(page.getByRole('heading', { name: 'Menu' })).toBeVisible();
    expect(document.querySelector('.markdown a, .markdown script, .markdown img')).toBeNull();
    expect('hacked' in window).toBe(false);
    await expect.element(page.getByText('picture not fetched: pic')).toBeVisible();
    await expect
      .element(page.getByRole('button', { name: 'site' }))
      .toHaveAttribute('title', expect.stringContaining('evil.example'));
    await expect.element(page.getByRole('cell', { name: '2' })).toBeVisible();
    expect(document.querySelector('ol.list')?.getAttribute('start')).toBe('3');
    expect(document.querySelector('.markdown')?.textContent).toContain('& more');
    await page.getByRole('radio', { name: 'Source' }).click();
    await expect.element(page.getByRole('group', { name: 'It' }).last()).toHaveTextContent(/# Menu/);
  });

  it('a table of any length, of which the rows in sight are drawn', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => `${at},"dish, ${at}"`);
    show({ mimeType: 'text/csv', text: `id,name\n${rows.join('\n')}\n` });
    await expect.element(page.getByText(/20.000 rows, 2 columns/)).toBeVisible();
    await expect.element(page.getByRole('columnheader', { name: 'name' })).toBeVisible();
    await expect.element(page.getByRole('cell', { name: 'dish, 3', exact: true })).toBeVisible();
    expect(document.querySelectorAll('[role=row]').length).toBeLessThan(60);
    const table = document.querySelector<HTMLElement>('[role=table]');
    if (table) table.scrollTop = 24 * 15_000;
    await expect.element(page.getByRole('cell', { name: 'dish, 15003', exact: true })).toBeVisible();
  });

  it('a page in a frame that may do nothing', async () => {
    show({
      mimeType: 'text/html',
      text: '<h1 id="h">Hello</h1><script>top.hacked = true</script><img src="https://evil.example/i.png"><link rel="stylesheet" href="https://evil.example/s.css"><meta http-equiv="refresh" content="0;url=https://evil.example/">',
    });
    await expect.poll(() => document.querySelector('iframe')).not.toBeNull();
    const frame = document.querySelector('iframe');
    expect(frame?.getAttribute('sandbox')).toBe('');
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect('hacked' in window).toBe(false);
    expect(frame?.contentDocument).toBeNull();
  });

  it('a PDF drawn on canvases, and what is wrong with a broken one', async () => {
    show({ mimeType: 'application/pdf', base64: PDF });
    await expect.element(page.getByText('1 page'), { timeout: 8000 }).toBeVisible();
    await expect
      .poll(() => document.querySelector('canvas')?.dataset['drawn'], { timeout: 8000 })
      .toBe('true');
    await page.getByRole('radio', { name: 'Hex' }).click();
    await expect.element(page.getByText(/25 50 44 46/)).toBeVisible();
  });

  it('says why a PDF cannot be drawn', async () => {
    show({ mimeType: 'application/pdf', base64: btoa('not a pdf') });
    await expect.element(page.getByText(/This PDF cannot be drawn/)).toBeVisible();
  });

  it('pictures, and bytes of no known kind as a dump that can be saved', async () => {
    show({ mimeType: 'image/png', base64: PICTURE });
    await expect.element(page.getByRole('img')).toBeVisible();
    document.body.innerHTML = '';
    show({ mimeType: 'application/x-thing', base64: btoa('\u0000\u0001thing'), uri: 'file:///a/thing' });
    await expect.element(page.getByText(/00 01 74 68 69 6e 67/)).toBeVisible();
    await page.getByRole('button', { name: 'Save as a file' }).click();
    await expect.element(page.getByText('Saved to /home/ana/Downloads/thing.bin')).toBeVisible();
    await page.getByRole('button', { name: 'Save as…' }).click();
    await expect.element(page.getByText('Saved to /home/ana/chosen/thing.bin')).toBeVisible();
    expect(host.savedAs.map(({ name }) => name)).toEqual(['thing.bin']);
    expect(host.documents.saved.get('thing.bin')).toEqual({
      kind: 'base64',
      base64: btoa('\u0000\u0001thing'),
    });
  });

  it('an unknown text as text, and bad Base64 as what it is', async () => {
    show({ text: '<b>not bold</b>' });
    await expect.element(page.getByText('<b>not bold</b>')).toBeVisible();
    document.body.innerHTML = '';
    show({ mimeType: 'image/png', base64: '%%%' });
    await expect.element(page.getByText(/not valid Base64/)).toBeVisible();
  });
});

describe('the JSON tree', () => {
  it('folds, walks with keys, and copies paths', async () => {
    const json = '{"a":{"b":[1.10,{"c/d":12345678901234567890}]},"z":"\\u0000 end"}';
    render(JsonTreeView, { props: { source: textSource(json), label: 'Doc', of: '1' } });
    await expect.element(page.getByRole('tree', { name: 'Doc' })).toBeVisible();
    await expect.element(page.getByText('12345678901234567890')).toBeVisible();
    await expect.element(page.getByText('1.10')).toBeVisible();
    document.querySelector<HTMLElement>('[role=tree]')?.focus();
    await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}{ArrowDown}{ArrowDown}');
    await expect.element(page.getByTitle('/a/b/1/c~1d')).toBeVisible();
    await userEvent.keyboard('{ArrowLeft}{ArrowLeft}');
    await expect.poll(() => document.body.textContent.includes('12345678901234567890')).toBe(false);
    await expect.element(page.getByTitle('/a/b/1')).toBeVisible();
    await userEvent.keyboard('{ArrowRight}');
    await expect.element(page.getByText('12345678901234567890')).toBeVisible();
  });

  it('stays small on a long list', async () => {
    const json = `[${Array.from({ length: 100_000 }, (_, at) => at).join(',')}]`;
    render(JsonTreeView, { props: { source: textSource(json), label: 'Long', of: '2' } });
    await expect.poll(() => document.body.textContent).toMatch(/100.000 items/);
    expect(document.querySelectorAll('[role=treeitem]').length).toBeLessThan(100);
    document.querySelector<HTMLElement>('[role=tree]')?.focus();
    await userEvent.keyboard('{End}');
    await expect.poll(() => document.body.textContent).toMatch(/99.999:99999/);
  });
});
