import { describe, expect, it } from 'vitest';
import { base64Of, bytesOf, hexLine, hexLineCount } from './bytes';
import { readTable, separatorOf } from './csv';
import { frameDocument } from './html';
import { fileName, kindOf } from './kinds';
import { blocksOf, decoded, LONGEST_MARKDOWN } from './markdown';

describe('kindOf', () => {
  it('believes a type only where the content can be it', () => {
    expect(kindOf('text/markdown; charset=utf-8', true)).toBe('markdown');
    expect(kindOf('Text/CSV', true)).toBe('table');
    expect(kindOf('application/problem+json', true)).toBe('json');
    expect(kindOf('image/svg+xml', true)).toBe('image');
    expect(kindOf('image/png', true)).toBe('text');
    expect(kindOf('text/html', false)).toBe('bytes');
    expect(kindOf('application/pdf', false)).toBe('pdf');
    expect(kindOf(null, true)).toBe('text');
    expect(kindOf(undefined, false)).toBe('bytes');
  });
});

describe('fileName', () => {
  it('takes the last part of a URI and nothing that leads elsewhere', () => {
    expect(fileName('file:///menus/summer.csv?x=1#y', 'text/csv', true)).toBe('summer.csv');
    expect(fileName('notes://a/../../..', 'text/plain', true)).toBe('content.txt');
    expect(fileName('x://a/b c:d', 'application/pdf', false)).toBe('b_c_d.pdf');
    expect(fileName(null, 'image/png', false)).toBe('content.png');
    expect(fileName('', null, false)).toBe('content.bin');
  });
});

describe('readTable', () => {
  it('reads quotes, line breaks within them, and rows of any length', () => {
    const { rows, columns } = readTable('\ufeffa,b\r\n"x ""y""","1\n2"\r\n\r\nonly\n"open');
    expect(rows).toEqual([['a', 'b'], ['x "y"', '1\n2'], [''], ['only'], ['open']]);
    expect(columns).toBe(2);
  });

  it('finds the separator and cuts what is too long', () => {
    expect(separatorOf('a;b;c\n1,5;2;3')).toBe(';');
    expect(separatorOf('"a,b"\tc')).toBe('\t');
    expect(readTable('a\nb\nc\n', ',', 2)).toMatchObject({ rows: [['a'], ['b']], isCut: true });
    expect(readTable('a\nb\n', ',', 2).isCut).toBe(false);
    expect(readTable('').rows).toEqual([]);
  });
});

describe('bytes', () => {
  it('go to a dump and back', () => {
    const bytes = bytesOf('AAH/ aGVs bG8=');
    expect([...(bytes ?? [])]).toEqual([0, 1, 255, 104, 101, 108, 108, 111]);
    expect(bytesOf('?')).toBeUndefined();
    expect(base64Of(bytes ?? new Uint8Array())).toBe('AAH/aGVsbG8=');
    expect(hexLineCount(17)).toBe(2);
    expect(hexLine(bytes ?? new Uint8Array(), 0)).toBe(
      '00000000  00 01 ff 68 65 6c 6c 6f                           |...hello|',
    );
  });
});

describe('Markdown', () => {
  it('is tokens, or nothing where it is too much', () => {
    expect(blocksOf('# Title\n\ntext')?.map((token) => token.type)).toEqual([
      'heading',
      'space',
      'paragraph',
    ]);
    expect(blocksOf('x'.repeat(LONGEST_MARKDOWN + 1))).toBeUndefined();
    expect(blocksOf('>'.repeat(50_000))).toBeUndefined();
    expect(blocksOf('- '.repeat(20_000))).toBeUndefined();
    expect(blocksOf('> > - 1. deep enough')).toBeDefined();
  });

  it('reads character references and nothing else', () => {
    expect(decoded('a &amp; b &lt;i&gt; &#x41; &nosuch; &')).toBe('a & b <i> A &nosuch; &');
  });
});

describe('frameDocument', () => {
  it('says its policy before anything of the page', () => {
    const made = frameDocument('<meta http-equiv="refresh" content="0;url=https://evil.example">');
    expect(made.indexOf("default-src 'none'")).toBeLessThan(made.indexOf('evil.example'));
    expect(made).not.toContain('script-src');
  });
});
