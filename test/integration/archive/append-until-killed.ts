/** Appends captures to a segment and prints the end of each one that is durable, until it is killed. */
import { randomBytes } from 'node:crypto';
import { appendPage, openTestSegment } from '../../support/archive/segments.ts';

const dir = process.argv[2] ?? '';
const { writer, file } = await openTestSegment(dir);
process.stdout.write(`${file}\n`);
for (;;) {
  await appendPage(dir, writer, randomBytes(5_000_000));
  await writer.sync();
  process.stdout.write(`${writer.bytes}\n`);
}
