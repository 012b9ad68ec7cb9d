// npm run cases [-- <folder>]: judges every cases file of a folder (test/cases unless named) that has a runner. Prints a
// line per failing case and `N passed, N failed` at the end; exits with 1 when a case failed.
import path from 'node:path';
import { listCaseFiles } from './cases/list-case-files.ts';
import { runCaseFile } from './cases/run-case-file.ts';

const folder = process.argv[2] ?? path.join(import.meta.dirname, '../cases');
let passed = 0;
let failed = 0;
for (const filePath of await listCaseFiles(folder)) {
  const report = await runCaseFile(filePath);
  if (report.kind === 'no-runner') {
    console.log(`${report.name}: no runner yet`);
    continue;
  }
  for (const { id, reason } of report.excluded) console.log(`${report.name}: ${id} excluded: ${reason}`);
  for (const result of report.results) {
    if (result.passed) passed += 1;
    else {
      failed += 1;
      console.log(`${report.name}: ${result.id} failed: ${oneLine(result.detail ?? '')}`);
    }
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

function oneLine(detail: string): string {
  return detail.replaceAll(/\s*\n\s*/g, ' ');
}
