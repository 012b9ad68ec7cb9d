/** Writes `server/store/schema.sql` from the migrations (`npm run generate`), or with `--check` says whether it is so. */
import { readFile, writeFile } from 'node:fs/promises';
import { createTestDatabase } from '../database.ts';
import { dumpSchema } from './dump-schema.ts';

const FILE = new URL('../../../server/store/schema.sql', import.meta.url);

await using db = await createTestDatabase();
const schema = await dumpSchema(db.admin);
if (!process.argv.includes('--check')) {
  await writeFile(FILE, schema);
} else if ((await readFile(FILE, 'utf8').catch(() => '')) !== schema) {
  process.stderr.write('server/store/schema.sql is not what the migrations make; run "npm run generate"\n');
  process.exitCode = 1;
}
