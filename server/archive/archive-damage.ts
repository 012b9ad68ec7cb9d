/**
 * What can be wrong with stored bytes: the file ends inside a member; a member is no gzip or its checksum is
 * wrong; its content is no WARC record; the content is not what its digest says.
 */
export type DamageKind = 'truncated' | 'bad_gzip' | 'bad_record' | 'digest_mismatch';

/** Stored bytes that cannot be trusted, where they begin and what is wrong with them. */
export class ArchiveDamageError extends Error {
  readonly kind: DamageKind;
  /** Where the member begins in its file. */
  readonly offset: number;

  constructor(kind: DamageKind, offset: number, detail: string, cause?: unknown) {
    super(`${detail} (member at ${offset})`, { cause });
    this.name = 'ArchiveDamageError';
    this.kind = kind;
    this.offset = offset;
  }
}
