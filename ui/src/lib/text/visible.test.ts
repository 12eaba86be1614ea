import { describe, expect, it } from 'vitest';
import { shortened, visible, visibleLine } from './visible';

describe('visible', () => {
  it('leaves ordinary text alone, in any script', () => {
    const text = 'Trattoria Lucia · 日本語 · עברית · 🍝👩‍🍳'.replace('\u200d', '');
    expect(visible(text)).toBe(text);
  });

  it('shows what would turn the reading direction', () => {
    expect(visible('invoice\u202efdp.exe')).toBe('invoice⟨U+202E⟩fdp.exe');
    expect(visible('\u2066a\u2069')).toBe('⟨U+2066⟩a⟨U+2069⟩');
  });

  it('shows control and zero-width characters', () => {
    expect(visible('a\u0000b\u001b[31mc\u007f')).toBe('a␀b␛[31mc␡');
    expect(visible('pay\u200bpal\ufeff')).toBe('pay⟨U+200B⟩pal⟨U+FEFF⟩');
    expect(visible('\u0085')).toBe('⟨U+0085⟩');
  });

  it('shows tags and lone surrogates, and keeps pairs', () => {
    expect(visible('\u{e0041}')).toBe('⟨U+E0041⟩');
    expect(visible('\ud83d')).toBe('⟨U+D83D⟩');
    expect(visible('\udc00x')).toBe('⟨U+DC00⟩x');
    expect(visible('🍝')).toBe('🍝');
  });

  it('keeps lines and tabs, except on one line', () => {
    expect(visible('a\r\nb\tc\rd')).toBe('a\nb\tc␍d');
    expect(visibleLine('a\r\nb\tc')).toBe('a␤b␉c');
  });
});

describe('shortened', () => {
  it('never cuts a pair in two', () => {
    expect(shortened('abc', 3)).toBe('abc');
    expect(shortened('abcd', 3)).toBe('ab…');
    expect(shortened('a🍝bc', 3)).toBe('a…');
  });
});
