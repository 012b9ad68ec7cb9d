import { Command, CommanderError } from 'commander';
import type { DecorumError } from '../client/decorum-error.ts';
import { toDecorumError } from '../client/decorum-error.ts';
import type { CliConfig } from '../config/load-cli-config.ts';
import { loadCliConfig } from '../config/load-cli-config.ts';
import type { CommandModule } from './command-module.ts';
import type { CliHost } from './create-context.ts';
import { createContext } from './create-context.ts';
import { EXIT, exitCodeOf } from './exit-code.ts';
import { printable } from './print-table.ts';
import { toJson } from './to-json.ts';

/** What `runCli` runs. */
export type CliRun = {
  readonly commands: readonly CommandModule[];
  readonly version: string;
  /** Arguments after the program's name. */
  readonly args: readonly string[];
  readonly host: CliHost;
  readonly config?: CliConfig;
};

const EXIT_CODES = `
Exit codes: 0 done, 1 failed, 2 wrong command line, 3 some items were refused, 4 the platform does not answer,
5 not allowed, 6 not found, 130 interrupted.
Environment: DECORUM_URL (http://127.0.0.1:7070; several separated by commas), DECORUM_KEY.`;

const GROUPS: Readonly<Record<string, string>> = {
  tenant: 'teams that crawl',
  key: 'credentials',
  archive: 'stored bytes, on the platform’s own machines',
};

/** Runs one command line and answers its exit code; errors are printed, not thrown. */
export async function runCli({
  commands,
  version,
  args,
  host,
  config = loadCliConfig(),
}: CliRun): Promise<number> {
  const json = args.includes('--json');
  let exitCode: number = EXIT.ok;
  const program = createProgram(version, host);
  for (const module of commands) {
    const command = addCommand(program, module);
    command.action(async () => {
      const { url } = program.opts<{ url?: string }>();
      await using context = createContext(host, url === undefined ? config : { ...config, url }, json);
      exitCode = await module.run(context, { args: command.args, flags: command.opts() });
    });
  }
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (!host.signal.aborted) {
      const error = toDecorumError(thrown);
      host.stderr.write(formatError(error, json));
      exitCode = exitCodeOf(error);
    }
  }
  return host.signal.aborted ? exitOfAbort(host.signal) : exitCode;
}

/** Nobody reads the output any more: that is the reader's wish, and no failure. */
export const OUTPUT_CLOSED = new Error('the output was closed');

function exitOfAbort(signal: AbortSignal): number {
  return signal.reason === OUTPUT_CLOSED ? EXIT.ok : EXIT.interrupted;
}

function createProgram(version: string, host: CliHost): Command {
  return configureOutput(new Command('decorum'), host)
    .description('One crawl platform: one identity, one budget, one set of manners.')
    .version(version)
    .option('--url <urls>', 'the API, in place of DECORUM_URL')
    .option('--json', 'one JSON object a line, for machines')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXIT_CODES);
}

/** Adds a command below its group, which is made when it is new. */
function addCommand(program: Command, module: CommandModule): Command {
  const words = module.name.split(' ');
  let parent = program;
  for (const word of words.slice(0, -1)) {
    parent =
      parent.commands.find((known) => known.name() === word) ??
      inherit(parent, new Command(word).description(GROUPS[word] ?? ''));
  }
  const command = inherit(parent, new Command(words.at(-1)).description(module.summary));
  module.configure(command);
  return command;
}

function inherit(parent: Command, command: Command): Command {
  command.copyInheritedSettings(parent);
  parent.addCommand(command);
  return command;
}

function configureOutput(command: Command, { stdout, stderr }: CliHost): Command {
  return command.exitOverride().configureOutput({
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(text),
    outputError: (text, write) => write(`decorum: ${text.replace(/^error: /, '')}`),
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
}

function formatError(error: DecorumError, json: boolean): string {
  const { code, reason, message, field, retryAfterMs, metadata } = error;
  if (json) return `${toJson({ error: { code, reason, message, field, retryAfterMs, metadata } })}\n`;
  return `decorum: ${printable(message.replace(/\s*\n\s*/g, ' '))}\n`;
}
