/** The verdict on one case: `detail` says what was expected and what came instead. */
export interface CaseResult {
  readonly id: string;
  readonly passed: boolean;
  readonly detail?: string;
}

/** A parsed `*-cases.json` file: its cases, and beside them whatever its head declares (`key`, `levels`, …). */
export interface CaseFile {
  readonly cases: readonly unknown[];
  readonly [head: string]: unknown;
}

/**
 * Judges every case of one file and answers one result per case, in any order. It may work asynchronously; it opens
 * no socket. A runner module (`robots.ts` for `robots-cases.json`) exports it under the name `runCases`.
 */
export type CaseRunner = (file: CaseFile) => Promise<readonly CaseResult[]> | readonly CaseResult[];

/**
 * Judges the cases (`file.cases as readonly MyCase[]`) one after the other with `judge`, which answers nothing when the case holds and the reason when it
 * does not. An exception in `judge` fails that case only.
 */
export async function judgeEach<Case extends { readonly id: string }>(
  cases: readonly Case[],
  judge: (one: Case) => Promise<string | undefined> | string | undefined,
): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  for (const one of cases) {
    const detail = await reasonOfFailure(one, judge);
    results.push(detail === undefined ? { id: one.id, passed: true } : { id: one.id, passed: false, detail });
  }
  return results;
}

async function reasonOfFailure<Case>(
  one: Case,
  judge: (one: Case) => Promise<string | undefined> | string | undefined,
): Promise<string | undefined> {
  try {
    return await judge(one);
  } catch (error) {
    return `threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
}
