import { describe, expect, it } from 'vitest';
import { styledLines, styledTexts, withoutCodes } from './ansi';

const ESC = '\u001b';
const drawn = (text: string): string[] =>
  styledTexts(text).map(
    ({ text: part, ink, bold, italic, underlined }) =>
      `${part}<${[ink, bold && 'bold', italic && 'italic', underlined && 'underlined'].filter(Boolean).join(' ')}>`,
  );

describe('colours', () => {
  it('are the window’s own, and end where they end', () => {
    expect(drawn(`a${ESC}[31mred${ESC}[0m b`)).toEqual(['a<>', 'red<error>', ' b<>']);
    expect(drawn(`${ESC}[1;33mwarn${ESC}[22m still${ESC}[39m off`)).toEqual([
      'warn<user bold>',
      ' still<user>',
      ' off<>',
    ]);
    expect(drawn(`${ESC}[32;3;4mok${ESC}[m.`)).toEqual(['ok<ok italic underlined>', '.<>']);
    expect(drawn(`${ESC}[90mdim${ESC}[2mdimmer`)).toEqual(['dim<muted>', 'dimmer<muted>']);
  });

  it('of 256 and of 16 million come down to the nearest', () => {
    expect(drawn(`${ESC}[38;5;196mr${ESC}[38;5;46mg${ESC}[38;5;21mb${ESC}[38;5;240mgrey`)).toEqual([
      'r<error>',
      'g<ok>',
      'b<server>',
      'grey<muted>',
    ]);
    expect(drawn(`${ESC}[38;2;250;10;20mr${ESC}[38:2:255:200:0my${ESC}[38;2;255;255;255mw`)).toEqual([
      'r<error>',
      'y<user>',
      'w<>',
    ]);
  });

  it('of the ground colour the letters', () => {
    expect(drawn(`${ESC}[41;37m FAIL ${ESC}[0m`)[0]).toMatch(/^ FAIL </);
    expect(drawn(`${ESC}[97;41m FAIL ${ESC}[0m`)).toEqual([' FAIL <error>']);
  });

  it('hold on over lines', () => {
    expect(
      styledLines(`${ESC}[31ma\n\nb${ESC}[0m\nc`).map((line) => line.map(({ text, ink }) => [text, ink])),
    ).toEqual([[['a', 'error']], [], [['b', 'error']], [['c', undefined]]]);
  });
});

describe('codes', () => {
  it.each([
    ['cursor moves and erasing', `${ESC}[2K${ESC}[1Gdone${ESC}[?25h`, 'done'],
    ['a title', `${ESC}]0;evil title\u0007text`, 'text'],
    ['a link', `${ESC}]8;;https://x.example${ESC}\\here${ESC}]8;;${ESC}\\`, 'here'],
    ['a device string', `${ESC}Pq#0${ESC}\\x`, 'x'],
    ['character sets', `${ESC}(Ba`, 'a'],
    ['one-character forms', `\u009b31ma\u009d0;t\u009cb`, 'ab'],
    ['two-character ones', `${ESC}7a${ESC}8${ESC}cb`, 'ab'],
    ['one that was cut', `a${ESC}[38;5`, 'a'],
    ['a lone one at the end', `a${ESC}`, 'a'],
    ['a string without an end', `a${ESC}]0;title`, 'a'],
    ['an unknown rendition', `${ESC}[999mx${ESC}[;;mz`, 'xz'],
  ])('%s: none is left', (_, text, plain) => {
    expect(withoutCodes(text)).toBe(plain);
    expect(
      styledTexts(text)
        .map((one) => one.text)
        .join(''),
    ).toBe(plain);
  });

  it('conceal nothing', () => expect(withoutCodes(`${ESC}[8mpassword${ESC}[0m`)).toBe('password'));

  it('take a time that grows with the text alone', () => {
    const began = performance.now();
    styledTexts(`${ESC}]`.repeat(100_000));
    styledTexts(`${ESC}[`.repeat(100_000));
    styledTexts(`${ESC}[${'1;'.repeat(500_000)}`);
    expect(performance.now() - began).toBeLessThan(3000);
  });

  it('a text without any is one', () => expect(drawn('2026 INFO ready')).toEqual(['2026 INFO ready<>']));
});
