/** Under which heading the palette and the list of shortcuts have a command. */
export const GROUPS = ['Tools', 'Resources', 'Prompts', 'Servers', 'Timeline', 'Recordings', 'View'] as const;

/** Something that a person can do now. */
export interface Command {
  /** Unique among the commands. */
  readonly id: string;
  readonly group: (typeof GROUPS)[number];
  readonly label: string;
  /** The keys that do it from anywhere, as lib/keys writes them. */
  readonly keys?: string;
  readonly run: () => void;
}

/** The commands that have every word, those that begin with the first word before those that have it elsewhere. */
export function matching(commands: readonly Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...commands];
  const ranked: { command: Command; rank: number }[] = [];
  for (const command of commands) {
    const label = command.label.toLowerCase();
    if (!words.every((word) => label.includes(word))) continue;
    const joined = words.join(' ');
    const first = words[0] ?? '';
    const rank = label.startsWith(joined)
      ? 0
      : label.includes(` ${joined}`)
        ? 1
        : label.startsWith(first)
          ? 2
          : label.includes(joined)
            ? 3
            : 4;
    ranked.push({ command, rank });
  }
  // Equal ones stay in their order.
  return ranked.sort((a, b) => a.rank - b.rank).map(({ command }) => command);
}
