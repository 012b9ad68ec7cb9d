import { extractLinks, type ExtractedLinks } from '@decorum/policy/html/extract-links.ts';
import type { ContentDeps } from './content-deps.ts';
import { readDocument } from './read-document.ts';

/** The links of a stored HTML document: absolute, canonical, in document order. Throws as `readDocument` does. */
export async function readLinks(
  deps: ContentDeps,
  tenantId: string,
  captureId: string,
): Promise<ExtractedLinks> {
  const { document, isCut } = await readDocument(deps, tenantId, captureId);
  const links = extractLinks(document);
  return { ...links, truncated: links.truncated || isCut };
}
