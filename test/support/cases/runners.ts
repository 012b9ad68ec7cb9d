import type { CaseRunner } from './case-runner.ts';

/** What a runner module exports. */
export interface CaseRunnerModule {
  readonly runCases: CaseRunner;
}

/** The runner of each cases file, loaded when the file is found in the folder; a file without an entry is only named. */
export const caseRunners: Readonly<Partial<Record<string, () => Promise<CaseRunnerModule>>>> = {
  'robots-cases.json': () => import('./robots.ts'),
  'robots-fetch-cases.json': () => import('./robots-fetch.ts'),
  'url-cases.json': () => import('./url.ts'),
  'retryafter-cases.json': () => import('./retryafter.ts'),
  'ssrf-cases.json': () => import('./ssrf.ts'),
};
