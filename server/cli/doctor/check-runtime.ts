import type { Finding } from './finding.ts';
import { fail, ok } from './finding.ts';

const NODE_MAJOR_MIN = 24;

/** Node's version; ours strips types and needs its disposables. */
export function checkRuntime(version: string): Finding[] {
  const major = Number(version.split('.', 1)[0]);
  if (major >= NODE_MAJOR_MIN) return [ok('node', version)];
  return [
    fail(
      'node',
      `${version} is too old`,
      `Run npm ci: it brings Node ${NODE_MAJOR_MIN} along, for npm start and npx.`,
    ),
  ];
}
