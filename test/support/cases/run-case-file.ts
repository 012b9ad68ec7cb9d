import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CaseFile, CaseResult } from './case-runner.ts';
import { excludedCases } from './excluded-cases.ts';
import { caseRunners } from './runners.ts';

/** What came of one cases file; `no-runner` when nothing judges files of that name yet. */
export type CaseFileReport =
  | { readonly kind: 'no-runner'; readonly name: string }
  | {
      readonly kind: 'judged';
      readonly name: string;
      readonly results: readonly CaseResult[];
      readonly excluded: readonly { readonly id: string; readonly reason: string }[];
    };

/** Judges the cases file at `filePath` with the runner of its base name, less the excluded cases. */
export async function runCaseFile(filePath: string): Promise<CaseFileReport> {
  const name = path.basename(filePath);
  const runner = await caseRunners[name]?.();
  if (runner === undefined) return { kind: 'no-runner', name };

  const file = JSON.parse(await readFile(filePath, 'utf8')) as CaseFile;
  const reasons = excludedCases[name] ?? {};
  const cases = file.cases as readonly { readonly id: string }[];
  const excluded = cases.flatMap(({ id }) => {
    const reason = reasons[id];
    return reason === undefined ? [] : [{ id, reason }];
  });
  const judged = cases.filter(({ id }) => reasons[id] === undefined);
  const results = await runner.runCases({ ...file, cases: judged });
  return { kind: 'judged', name, results: [...results, ...unjudged(judged, results)], excluded };
}

/** A runner that skips a case silently would look like one that passes it. */
function unjudged(cases: readonly { readonly id: string }[], results: readonly CaseResult[]): CaseResult[] {
  const seen = new Set(results.map((result) => result.id));
  return cases
    .filter(({ id }) => !seen.has(id))
    .map(({ id }) => ({ id, passed: false, detail: 'the runner answered nothing for this case' }));
}
