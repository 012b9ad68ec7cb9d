import type { HtmlDocument } from '@decorum/policy/html/extract-links.ts';
import { isHtmlContentType } from '@decorum/policy/html/parse-content-type.ts';
import { DomainError } from '../../runtime/domain-error.ts';
import { readAsTenant } from '../../store/read-as-tenant.ts';
import type { ContentDeps } from './content-deps.ts';
import { withContentErrors } from './content-error.ts';
import { locateBody } from './locate-body.ts';
import { openBody } from './read-body.ts';

/** How much of a document is parsed, bytes without content coding: parsing is linear and takes some 100 ms for this much. */
export const DOCUMENT_BYTES_MAX = 2 * 1024 * 1024;

/** A stored HTML document; `isCut` when it is longer than what is parsed. */
export type StoredDocument = { readonly document: HtmlDocument; readonly isCut: boolean };

/**
 * Reads the first 2 MiB of a capture's body as an HTML document. Throws as `readBody` does, and `failed_precondition`
 * (NOT_HTML) for another content type.
 */
export async function readDocument(
  deps: ContentDeps,
  tenantId: string,
  captureId: string,
): Promise<StoredDocument> {
  const location = await readAsTenant(deps.pool, tenantId, (sql) => locateBody(sql, tenantId, captureId));
  const { contentType, url } = location.holder;
  if (!isHtmlContentType(contentType)) throw notHtml(contentType);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of withContentErrors(openBody(deps, location, 'DECODED'))) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > DOCUMENT_BYTES_MAX) break;
  }
  const bytes = Buffer.concat(chunks).subarray(0, DOCUMENT_BYTES_MAX);
  return { document: { bytes, contentType, url }, isCut: length > DOCUMENT_BYTES_MAX };
}

function notHtml(contentType: string): DomainError {
  return new DomainError({
    kind: 'failed_precondition',
    reason: 'NOT_HTML',
    message: 'only text/html and application/xhtml+xml are parsed; read the body instead',
    metadata: { contentType: contentType.slice(0, 200) },
  });
}
