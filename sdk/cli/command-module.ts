import type { Command } from 'commander';
import type { CliContext } from './cli-context.ts';
import type { ExitCode } from './exit-code.ts';

/** One command of `decorum`. */
export type CommandModule = {
  /** Its words, as in `tenant create`. */
  readonly name: string;
  readonly summary: string;
  /** Adds arguments and options. */
  readonly configure: (command: Command) => void;
  /** Runs it. Errors are thrown; the runner prints them. */
  readonly run: (context: CliContext, input: CommandInput<unknown>) => Promise<ExitCode>;
};

/** What was given on the command line. */
export type CommandInput<Flags> = {
  /** Positional arguments; those of a variadic argument follow each other. */
  readonly args: readonly string[];
  readonly flags: Flags;
};

/** A command whose options have the shape `Flags`: the one that `configure` makes of them. */
export function defineCommand<Flags>(command: {
  readonly name: string;
  readonly summary: string;
  readonly configure: (command: Command) => void;
  readonly run: (context: CliContext, input: CommandInput<Flags>) => Promise<ExitCode>;
}): CommandModule {
  const { run } = command;
  return { ...command, run: (context, { args, flags }) => run(context, { args, flags: flags as Flags }) };
}
