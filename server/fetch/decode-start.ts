import { decodeContent } from '../archive/decode-content.ts';
import type { Answer } from './exchange.ts';
import { fieldValues } from './fields.ts';

/**
 * Reads the first bytes of a body without its content coding, and one more where there is more, so that the caller sees
 * it. Throws a ContentDecodingError, with what was decoded before it lost.
 */
export async function decodeStart(answer: Answer, bytesMax: number): Promise<Uint8Array> {
  const contentEncoding = fieldValues(answer.fields, 'content-encoding');
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of decodeContent({ body: answer.body.read(), contentEncoding })) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) break;
  }
  return Buffer.concat(chunks).subarray(0, bytesMax + 1);
}
