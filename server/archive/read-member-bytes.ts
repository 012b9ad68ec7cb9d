import { open } from 'node:fs/promises';
import { ArchiveDamageError } from './archive-damage.ts';
import { createReadAt } from './read-at.ts';

const PIECE_BYTES = 256 * 1024;

/**
 * The member at `offset` as its segment holds it, compressed, in pieces of at most 256 KiB. Throws an ArchiveDamageError
 * `truncated` when the file ends before the member does; whether its content is whole is for its reader to see. Ending
 * early closes the file.
 */
export async function* readMemberBytes(location: {
  file: string;
  offset: number;
  length: number;
}): AsyncGenerator<Uint8Array, void> {
  const { offset, length } = location;
  await using file = await open(location.file, 'r');
  const readAt = createReadAt(file);
  for (let position = offset; position < offset + length;) {
    const piece = await readAt(position, Math.min(position + PIECE_BYTES, offset + length));
    if (piece.length === 0) {
      throw new ArchiveDamageError('truncated', offset, 'the file ends inside a member');
    }
    position += piece.length;
    yield piece;
  }
}
