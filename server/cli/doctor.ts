import { defineCommand } from '@decorum/sdk/cli/command-module.ts';
import type { ExitCode } from '@decorum/sdk/cli/exit-code.ts';
import { EXIT } from '@decorum/sdk/cli/exit-code.ts';
import type { Column } from '@decorum/sdk/cli/print-table.ts';
import type { CliConfig } from '@decorum/sdk/config/load-cli-config.ts';
import { readOperatorKey } from '@decorum/sdk/config/load-cli-config.ts';
import type { Config } from '../config/config.ts';
import { checkApi } from './doctor/check-api.ts';
import { checkConfig } from './doctor/check-config.ts';
import { checkDisk } from './doctor/check-disk.ts';
import { checkDns } from './doctor/check-dns.ts';
import { checkHttp } from './doctor/check-http.ts';
import { checkKeyFiles } from './doctor/check-key-files.ts';
import { checkPorts } from './doctor/check-ports.ts';
import { checkRuntime } from './doctor/check-runtime.ts';
import { checkServices } from './doctor/check-services.ts';
import type { Finding } from './doctor/finding.ts';

const COLUMNS: readonly Column<Finding>[] = [
  { title: 'STATE', value: ({ state }) => state, width: 5 },
  { title: 'CHECK', value: ({ check }) => check, width: 14 },
  {
    title: 'FOUND',
    value: ({ detail, remedy }) =>
      remedy === undefined ? detail : `${detail.replace(/\.$/, '')}. ${remedy}`,
  },
];

/** `decorum doctor`: looks at all that it can reach from here; exits 1 when something does not work. */
export const doctor = defineCommand<object>({
  name: 'doctor',
  summary: 'look for what is wrong with the platform or this machine',
  configure: (command) => command,
  async run(context): Promise<ExitCode> {
    let exitCode: ExitCode = EXIT.ok;
    for await (const findings of examine(context.config)) {
      for (const finding of findings) {
        if (finding.state === 'fail') exitCode = EXIT.failed;
        await context.printRow(COLUMNS, finding);
      }
      if (context.signal.aborted) break;
    }
    return exitCode;
  },
});

async function* examine({ url, key, operatorKeyFile }: CliConfig): AsyncGenerator<Finding[]> {
  yield checkRuntime(process.versions.node);
  const { config, findings } = checkConfig();
  yield findings;
  if (config !== undefined) yield* examineMachine(config);
  const api = await checkApi(url, key ?? (await readOperatorKey(operatorKeyFile)));
  yield api;
  if (config === undefined) return;
  // A platform that runs here holds its own ports.
  yield api.some(({ state }) => state === 'fail') ? await checkPorts(config) : await checkHttp(config);
}

async function* examineMachine(config: Config): AsyncGenerator<Finding[]> {
  yield await checkDisk(config);
  yield await checkKeyFiles(config.dataDir);
  yield await checkServices(config);
  yield await checkDns(config.dnsServers);
}
