#!/usr/bin/env node
import { API_COMMANDS } from '@decorum/sdk/cli/api-commands.ts';
import { OUTPUT_CLOSED, runCli } from '@decorum/sdk/cli/run-cli.ts';
import packageJson from '../package.json' with { type: 'json' };
import { archiveList } from './archive/list.ts';
import { archiveShow } from './archive/show.ts';
import { archiveVerify } from './archive/verify.ts';
import { doctor } from './doctor.ts';

const stop = new AbortController();
// Once, so that a second Ctrl-C ends a command that hangs.
process.once('SIGINT', () => stop.abort(new Error('interrupted')));
process.once('SIGTERM', () => stop.abort(new Error('terminated')));
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  stop.abort(OUTPUT_CLOSED);
});

process.exitCode = await runCli({
  commands: [...API_COMMANDS, archiveList, archiveShow, archiveVerify, doctor],
  version: packageJson.version,
  args: process.argv.slice(2),
  host: { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, signal: stop.signal },
});
