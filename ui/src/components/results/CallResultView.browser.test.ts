/** Results as a person reads them. */

import { describe, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { render } from 'vitest-browser-svelte';
import type { CallResult } from '$lib/bindings/CallResult';
import type { ContentView } from '$lib/bindings/ContentView';
import '../../app.css';
import CallResultView from './CallResultView.svelte';
import { axeProblems } from '$lib/testing/axe';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC';

function show(result: CallResult, times: Partial<Record<'server' | 'user' | 'time', number>> = {}): void {
  const { server = 38_000, user = 0, time = 0 } = times;
  render(CallResultView, {
    outcome: {
      operation: 1,
      result,
      total_micros: server + user + time,
      server_micros: server,
      user_micros: user,
      time_micros: time,
      from_cache_micros: null,
    },
  });
}

function tool(
  content: ContentView[],
  change: Partial<Extract<CallResult, { kind: 'tool' }>> = {},
): CallResult {
  return { kind: 'tool', is_error: false, content, structured: null, problems: [], event: null, ...change };
}

const result = page.getByRole('region', { name: 'Result of the call' });

describe('the header', () => {
  it('says how it ended and how long it took', async () => {
    show(tool([{ kind: 'text', text: 'done' }]));
    await expect.element(result).toHaveTextContent(/complete\s*38 ms\s*38 ms on the server/);
    await expect.element(result).not.toHaveTextContent('waiting on');
  });

  it('tells the three kinds of time apart', async () => {
    show(tool([]), { server: 103_000, user: 3_600_000, time: 500_000 });
    await expect
      .element(result)
      .toHaveTextContent(/4\.20 s\s*103 ms on the server\s*3\.60 s waiting on you\s*500 ms waiting on time/);
  });

  it.each([
    [tool([], { is_error: true }), 'tool error'],
    [{ kind: 'cancelled' } satisfies CallResult, 'cancelled by you'],
    [
      {
        kind: 'failed',
        code: -32603,
        error: { code: 'failed', message: 'x', hint: null },
        data: null,
      } satisfies CallResult,
      'failed −32603',
    ],
    [
      {
        kind: 'failed',
        code: null,
        error: { code: 'failed', message: 'x', hint: null },
        data: null,
      } satisfies CallResult,
      'failed',
    ],
  ] as const)('%#: %s', async (outcome, words) => {
    show(outcome);
    await expect.element(page.getByRole('status').first()).toHaveTextContent(words);
  });
});

describe('content', () => {
  it('nothing is an empty result, not a missing one', async () => {
    show(tool([]));
    await expect.element(result).toHaveTextContent('Empty result');
  });

  it('only structured content is shown, with every digit', async () => {
    show(tool([], { structured: '{\n  "id": 9007199254740993,\n  "price": 1.10\n}' }));
    await expect.element(result).toHaveTextContent(/"id": 9007199254740993,.*"price": 1\.10/);
    await expect.element(result).not.toHaveTextContent('Empty result');
  });

  it('an error is shown whatever else is there', async () => {
    show(
      tool([{ kind: 'text', text: 'No table is free.' }], {
        is_error: true,
        structured: '{}',
        problems: ['structuredContent does not fit the output schema'],
      }),
    );
    await expect.element(page.getByText('No table is free.')).toBeVisible();
    await expect.element(page.getByText('structuredContent does not fit')).toBeVisible();
  });

  it('text is text: no markup, hidden characters are seen', async () => {
    show(tool([{ kind: 'text', text: '<b>bold</b>\n[x](javascript:alert(1)) \u202eevil' }]));
    await expect.element(page.getByText('<b>bold</b>')).toBeVisible();
    await expect.element(page.getByText('⟨U+202E⟩evil')).toBeVisible();
    expect(document.querySelector('b, a')).toBeNull();
  });

  it('long text is cut, and shown whole on demand', async () => {
    show(
      tool([{ kind: 'text', text: Array.from({ length: 3000 }, (_, line) => `line ${line}`).join('\n') }]),
    );
    await expect.element(result).not.toHaveTextContent('line 100');
    await page.getByRole('button', { name: /^Show all \d+ KiB/ }).click();
    await expect.element(result).toHaveTextContent('line 2999');
    await page.getByRole('button', { name: 'Show less' }).click();
    await expect.element(result).not.toHaveTextContent('line 100');
  });

  it('a very long text is drawn as it is scrolled to', async () => {
    show(
      tool([{ kind: 'text', text: Array.from({ length: 100_000 }, (_, line) => `line ${line}`).join('\n') }]),
    );
    await page.getByRole('button', { name: /^Show all/ }).click();
    await expect.element(result).toHaveTextContent('line 20');
    expect(document.querySelectorAll('*').length).toBeLessThan(1000);
  });

  it('images have their type, size and dimensions', async () => {
    show(tool([{ kind: 'image', mime_type: 'image/png', base64: PNG, problem: null }]));
    await expect.element(page.getByText('image/png · 78 B · 10 × 10')).toBeVisible();
    await expect.element(page.getByRole('img', { name: 'Image, block 1 of the result' })).toBeVisible();
  });

  it.each([
    ['image/png', 'AAAA', null, 'This image is broken: its data is not image/png.'],
    ['text/html', 'AAAA', null, 'Images of this type are not drawn.'],
    ['image/png', null, 'its data is not Base64.', 'This image cannot be shown: its data is not Base64.'],
  ])('%s with %j is explained', async (mime_type, base64, problem, words) => {
    show(tool([{ kind: 'image', mime_type, base64, problem }]));
    await expect.element(result).toHaveTextContent(words);
    expect(document.querySelector('img')).toBeNull();
  });

  it('resources are cards whose addresses are no links', async () => {
    show(
      tool([
        {
          kind: 'resource_link',
          uri: 'javascript:alert(1)',
          name: 'menu',
          description: 'Today',
          mime_type: 'text/html',
        },
        { kind: 'resource', uri: 'demo://a', mime_type: null, text: 'inside', byte_len: null, base64: null },
        {
          kind: 'resource',
          uri: 'demo://b',
          mime_type: 'application/zip',
          text: null,
          byte_len: 2048,
          base64: btoa('PK'.repeat(1024)),
        },
      ]),
    );
    await expect
      .element(page.getByRole('group', { name: 'resource link javascript:alert(1)' }))
      .toHaveTextContent('menu');
    await expect.element(page.getByText('inside')).toBeVisible();
    await expect.element(page.getByText('2.0 KiB of binary data')).toBeVisible();
    // Bytes are a dump, and can be saved.
    await expect.element(result).toHaveTextContent(/50 4b 50 4b/);
    expect(document.querySelector('a')).toBeNull();
  });

  it('an unknown block is shown as it came, with what is wrong', async () => {
    show(
      tool([
        { kind: 'other', json: '{\n  "type": "hologram"\n}', problem: 'The type “hologram” is unknown.' },
      ]),
    );
    await expect.element(page.getByText('The type “hologram” is unknown.')).toBeVisible();
    await expect.element(result).toHaveTextContent('"type": "hologram"');
  });

  it('thousands of blocks come in parts', async () => {
    show(
      tool(Array.from({ length: 2000 }, (_, index) => ({ kind: 'text' as const, text: `block ${index}` }))),
    );
    expect(document.querySelectorAll('ol > li')).toHaveLength(50);
    await page.getByRole('button', { name: 'Show 50 more of 2000 blocks' }).click();
    expect(document.querySelectorAll('ol > li')).toHaveLength(100);
  });
});

describe('failures', () => {
  it('say what, where and what to try, with the code and the data', async () => {
    show({
      kind: 'failed',
      code: -32602,
      error: { code: 'failed', message: 'Unknown tool: x', hint: 'Refresh the list.' },
      data: '{\n  "n": 1.10\n}',
    });
    await expect
      .element(page.getByRole('alert'))
      .toHaveTextContent(
        /does not know this tool \(error −32602\)\s*Unknown tool: x\s*What to try: Fetch the list of tools again/,
      );
    await expect.element(result).toHaveTextContent('"n": 1.10');
  });
});

it('axe finds nothing', async () => {
  show(
    tool(
      [
        { kind: 'text', text: 'text' },
        { kind: 'image', mime_type: 'image/png', base64: PNG, problem: null },
        { kind: 'image', mime_type: 'image/tiff', base64: PNG, problem: null },
        { kind: 'audio', mime_type: 'audio/wav', base64: 'AAAA', problem: null },
        { kind: 'resource_link', uri: 'a:b', name: 'n', description: null, mime_type: 'x/y' },
        { kind: 'other', json: '{}', problem: 'odd' },
      ],
      { structured: '{}', problems: ['odd'] },
    ),
  );
  expect(await axeProblems()).toEqual([]);
});
