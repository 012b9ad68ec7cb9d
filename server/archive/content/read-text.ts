import { extractText, type ExtractedText } from '@decorum/policy/html/extract-text.ts';
import type { ContentDeps } from './content-deps.ts';
import { readDocument } from './read-document.ts';

/** The visible text of a stored HTML document. Throws as `readDocument` does. */
export async function readText(
  deps: ContentDeps,
  tenantId: string,
  captureId: string,
): Promise<ExtractedText> {
  const { document, isCut } = await readDocument(deps, tenantId, captureId);
  const text = extractText(document);
  return { ...text, truncated: text.truncated || isCut };
}
