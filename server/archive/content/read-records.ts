import { DomainError } from '../../runtime/domain-error.ts';
import { loadCaptureRecords, type RecordLocation } from '../../store/load-capture-records.ts';
import { readAsTenant } from '../../store/read-as-tenant.ts';
import type { ContentDeps } from './content-deps.ts';
import { withContentErrors } from './content-error.ts';
import { keepChecking } from './keep-checking.ts';
import { loadReadableCapture } from './load-readable-capture.ts';

/** The next bytes of a capture's records. */
export type RecordPiece = { readonly captureId: string; readonly chunk: Uint8Array };

/**
 * Streams the WARC records of captures as gzip members, the captures in the order of the ids, the records as they lie in
 * their segment. A capture that the tenant may not read gives nothing; one that it may not read any more while it is
 * streamed ends the stream with an error. Throws as `readBody` does.
 */
export async function* readRecords(
  deps: ContentDeps,
  tenantId: string,
  captureIds: readonly string[],
): AsyncGenerator<RecordPiece, void> {
  for (const captureId of captureIds) {
    const locate = () =>
      readAsTenant(deps.pool, tenantId, async (sql) => {
        await loadReadableCapture(sql, tenantId, captureId);
        return loadCaptureRecords(sql, [captureId]);
      });
    const records = await locate().catch(nothingWhenUnreadable);
    const chunks = withContentErrors(openRecords(deps, records));
    for await (const chunk of keepChecking(chunks, locate, deps.clock)) yield { captureId, chunk };
  }
}

function nothingWhenUnreadable(error: unknown): RecordLocation[] {
  const kinds: readonly string[] = ['not_found', 'forbidden'];
  if (error instanceof DomainError && kinds.includes(error.kind)) return [];
  throw error;
}

async function* openRecords(
  { archive }: ContentDeps,
  records: readonly RecordLocation[],
): AsyncGenerator<Uint8Array, void> {
  for (const { segmentId, offset, length } of records) {
    yield* archive.readMemberBytes({ segmentId, offset: Number(offset), length: Number(length) });
  }
}
