import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { listCaseFiles } from '../support/cases/list-case-files.ts';
import { runCaseFile } from '../support/cases/run-case-file.ts';

for (const filePath of await listCaseFiles(path.join(import.meta.dirname, '../cases'))) {
  test(`every case of ${path.basename(filePath)} holds`, async (t) => {
    const report = await runCaseFile(filePath);
    if (report.kind === 'no-runner') {
      t.skip('no runner yet');
      return;
    }
    assert.ok(report.results.length > 0, 'no case was judged');
    assert.deepEqual(
      report.results.filter((result) => !result.passed),
      [],
    );
  });
}
