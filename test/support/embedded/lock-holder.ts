/** A process that locks the directory of its first argument, says so to its parent, and stays until it is killed. */
import { lockDir } from '@decorum/server/embedded/lock-dir.ts';

await lockDir(process.argv[2] ?? '');
process.send?.('locked');
setInterval(() => undefined, 1_000_000);
