import { open } from 'node:fs/promises';
import { ArchiveDamageError } from './archive-damage.ts';
import { inflateMember } from './inflate-member.ts';
import { createReadAt } from './read-at.ts';
import { readRecord, type RecordReading } from './read-record.ts';

/** A stored record that is being read; disposing of it closes the file. */
export type MemberReading = Omit<RecordReading, 'blockBytes'> & AsyncDisposable;

/**
 * Opens the record in the member at `offset`. Works while the segment is still appended to, for members that
 * were durable when their location was learnt. The body is the payload as stored, with its content coding; it
 * is read as it is asked for, in pieces of at most 256 KiB, and the file is closed at its end or at disposal,
 * whichever comes first.
 *
 * Rejects with an ArchiveDamageError when what lies there is no record, and so does the body when it turns
 * out at its end that the member is damaged or not `length` bytes long.
 */
export async function readMember(location: {
  file: string;
  offset: number;
  length: number;
}): Promise<MemberReading> {
  const { offset, length } = location;
  const file = await open(location.file, 'r');
  const content = readWhole();

  async function* readWhole(): AsyncGenerator<Uint8Array, number> {
    const end = yield* inflateMember(createReadAt(file), offset, offset + length);
    if (end !== offset + length) {
      throw new ArchiveDamageError('bad_record', offset, `a member of ${end - offset} bytes, not ${length}`);
    }
    return end;
  }

  async function close(): Promise<void> {
    await content.return(0);
    await file.close();
  }

  try {
    const { header, httpHead, body } = await readRecord(content, offset);
    return { header, httpHead, body: closeAfter(body, close), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function* closeAfter(
  body: AsyncGenerator<Uint8Array, void>,
  close: () => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } finally {
    await close();
  }
}
