import { DomainError } from '../../runtime/domain-error.ts';
import { ArchiveDamageError } from '../archive-damage.ts';
import { ContentDecodingError } from '../decode-content.ts';

/** What it means for a reader that stored bytes could not be handed out. */
export function toContentError(error: unknown): unknown {
  if (error instanceof ContentDecodingError) return toUndecodable(error);
  if (error instanceof ArchiveDamageError || codeOf(error) === 'ENOENT') return toDamaged(error);
  return codeOf(error) === undefined ? error : toUnavailable(error);
}

/** Hands out what `chunks` gives, with errors as readers see them. */
export async function* withContentErrors<T>(chunks: AsyncIterable<T>): AsyncGenerator<T, void> {
  try {
    yield* chunks;
  } catch (error) {
    throw toContentError(error);
  }
}

/** T1: there is no such capture, or the tenant does not hold it; it cannot tell which. */
export function captureUnknown(): DomainError {
  return new DomainError({
    kind: 'not_found',
    reason: 'CAPTURE_UNKNOWN',
    field: 'capture_id',
    message: 'none of your results names a capture of this id, or what was stored has been removed',
  });
}

/** The index says that bytes lie where they do not. */
export function toDamaged(cause: unknown): DomainError {
  return new DomainError({
    kind: 'data_loss',
    reason: 'ARCHIVE_DAMAGED',
    message:
      'the stored bytes of this capture are damaged; the operators are told, and a new fetch replaces them',
    cause,
  });
}

function toUndecodable(error: ContentDecodingError): DomainError {
  return new DomainError({
    kind: 'failed_precondition',
    reason: 'BODY_NOT_DECODABLE',
    message: `the content coding of this body cannot be removed (${error.message}); read it with BODY_CODING_RAW`,
    metadata: { problem: error.problem },
    cause: error,
  });
}

function toUnavailable(cause: unknown): DomainError {
  return new DomainError({
    kind: 'unavailable',
    reason: 'ARCHIVE_UNAVAILABLE',
    message: 'the archive cannot be read at the moment',
    retryAfterMs: 1_000,
    cause,
  });
}

/** Of an error of the file system. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined;
}
