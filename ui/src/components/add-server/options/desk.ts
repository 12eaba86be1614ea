import type { OptionName, OptionsText } from './text';

/** What each group of options works on. */
export interface OptionDesk {
  /** Prefix of the controls' ids. */
  readonly id: string;
  readonly text: Readonly<OptionsText>;
  readonly transport: 'stdio' | 'http';
  change(part: Partial<OptionsText>): void;
  isChanged(name: OptionName): boolean;
  problem(name: OptionName): string | undefined;
  reset(name: OptionName): void;
}
