import { open } from 'node:fs/promises';
import { buildTombstone } from './build-tombstone.ts';
import { writeAll } from './write-all.ts';

/** A member that becomes a tombstone. */
export type ErasedMember = {
  readonly offset: number;
  readonly length: number;
  readonly recordId: string;
  readonly createdAt: Date;
};

/**
 * Overwrites members with their tombstones; durable when it resolves. The same bytes at every try, so that a crash is
 * repeated. Rejects with a RangeError when one lies behind the file's end. The caller holds the segment; `beforeWrite` may
 * still reject when it does not any more.
 */
export async function eraseMembers(input: {
  file: string;
  members: readonly ErasedMember[];
  beforeWrite: () => Promise<void>;
}): Promise<void> {
  await using file = await open(input.file, 'r+');
  const { size } = await file.stat();
  if (input.members.some(({ offset, length }) => offset + length > size)) {
    throw new RangeError(`the file has ${size} bytes, a member to be erased ends behind them`);
  }
  await input.beforeWrite();
  for (const { offset, length, recordId, createdAt } of input.members) {
    let position = offset;
    for (const chunk of buildTombstone({ length, recordId, date: createdAt })) {
      position = await writeAll(file, [chunk], position);
    }
  }
  await file.datasync();
}
