import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Finding } from './finding.ts';
import { fail, ok, warn } from './finding.ts';

const FREE_GB_FAIL = 1;
const FREE_GB_WARN = 10;

/** Room and write access where data and archive are kept. */
export async function checkDisk({
  dataDir,
  archive,
}: Pick<Config, 'dataDir' | 'archive'>): Promise<Finding[]> {
  const places = [{ check: 'data directory', path: dataDir }];
  if (archive.kind === 'directory' && !archive.path.startsWith(`${dataDir}/`)) {
    places.push({ check: 'archive', path: archive.path });
  }
  return Promise.all(places.map(({ check, path }) => checkPlace(check, path)));
}

async function checkPlace(check: string, path: string): Promise<Finding> {
  const existing = await nearestExisting(path);
  const isWritable = await access(existing, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable)
    return fail(
      check,
      `${existing} can not be written`,
      'Give this user write access, or choose another place.',
    );
  const { bavail, bsize } = await statfs(existing);
  const freeGb = (bavail * bsize) / 1e9;
  const detail = `${path}, ${freeGb.toFixed(1)} GB free`;
  if (freeGb < FREE_GB_FAIL)
    return fail(check, detail, 'Make room: nothing is leased when the archive is full.');
  if (freeGb < FREE_GB_WARN) return warn(check, detail, 'Make room soon, or move it to a larger disk.');
  return ok(check, existing === path ? detail : `${detail} (made at the first start)`);
}

async function nearestExisting(path: string): Promise<string> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  const parent = dirname(path);
  return exists || parent === path ? path : nearestExisting(parent);
}
