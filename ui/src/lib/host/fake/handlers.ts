import type { Arguments, CommandName, Reply } from '../host';

/** What answers these commands. */
export type Handlers<K extends CommandName = CommandName> = {
  [C in K]: (args: Arguments<C>) => Reply<C> | Promise<Reply<C>>;
};

/** Waits so long, by the pace of the fake. */
export type Sleep = (millis: number) => Promise<void>;
