import { describe, expect, it } from 'vitest';
import { matching, type Command } from './command';

const commands = ['Call echo…', 'Cancel echo', 'Go to Tools', 'Theme: dark', 'Call find_echo…'].map(
  (label): Command => ({ id: label, group: 'View', label, run: () => undefined }),
);
const labels = (query: string): string[] => matching(commands, query).map(({ label }) => label);

describe('the palette', () => {
  it('has all commands until something is typed', () => {
    expect(labels('  ')).toHaveLength(commands.length);
  });

  it('finds what has every word, in any order', () => {
    expect(labels('echo call')).toEqual(['Call echo…', 'Call find_echo…']);
    expect(labels('dark theme')).toEqual(['Theme: dark']);
    expect(labels('nothing')).toEqual([]);
  });

  it('has first what begins with what was typed', () => {
    expect(labels('ca')).toEqual(['Call echo…', 'Cancel echo', 'Call find_echo…']);
    expect(labels('call echo')).toEqual(['Call echo…', 'Call find_echo…']);
    expect(labels('to')).toEqual(['Go to Tools']);
  });
});
