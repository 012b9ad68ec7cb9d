import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@connectrpc/connect';
import type { ContentService } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import { BodyCoding } from '@decorum/proto/decorum/crawl/v1/content_service_pb.ts';
import { DecorumError, toDecorumError } from './decorum-error.ts';

/** How a body is handed out: content codings removed, or as received. */
export type BodyCodingName = 'decoded' | 'raw';

/** What a caller may say about reading a body. */
export type BodyOptions = {
  /** Default `decoded`. */
  readonly coding?: BodyCodingName | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** A stored body: loop over it for its pieces, or take it whole. Each use reads it anew. */
export type Body = AsyncIterable<Uint8Array> & {
  /** The whole body. Throws `BODY_TOO_LARGE` beyond `bytesMax`, 64 MiB by default: decoded bodies may have 640 MiB. */
  bytes(bytesMax?: number): Promise<Uint8Array>;
  /** The whole body as text, in `encoding` (a label of the Encoding Standard; default `utf-8`). */
  text(encoding?: string): Promise<string>;
};

/** The largest body that is taken whole by default. */
export const BODY_BYTES_MAX = 64 * 2 ** 20;

const READ_ATTEMPTS_MAX = 3;
const READ_PAUSE_MS = 300;

/** The body of a capture; nothing is read before it is used. */
export function openBody(
  client: Pick<Client<typeof ContentService>, 'readBody'>,
  captureId: string,
  options: BodyOptions = {},
): Body {
  const coding = options.coding === 'raw' ? BodyCoding.RAW : BodyCoding.DECODED;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for await (const { chunk } of client.readBody(
      { captureId, coding },
      { ...(options.signal && { signal: options.signal }) },
    )) {
      if (chunk.length > 0) yield chunk;
    }
  }
  const readOnce = async (bytesMax: number): Promise<Uint8Array> => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of pieces()) {
      length += chunk.length;
      if (length > bytesMax) throw tooLarge(bytesMax);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, length);
  };
  const bytes = async (bytesMax = BODY_BYTES_MAX): Promise<Uint8Array> => {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await readOnce(bytesMax);
      } catch (thrown) {
        // A stream that was cut can't be resumed, but read from the start.
        const error = toDecorumError(thrown);
        if (error.code !== 'unavailable' || attempts === READ_ATTEMPTS_MAX) throw error;
        await sleep(READ_PAUSE_MS, undefined, { ...(options.signal && { signal: options.signal }) });
      }
    }
  };
  return {
    [Symbol.asyncIterator]: pieces,
    bytes,
    text: async (encoding = 'utf-8') => new TextDecoder(encoding).decode(await bytes()),
  };
}

function tooLarge(bytesMax: number): DecorumError {
  const message = `The body has more than ${bytesMax} bytes. Loop over it, or give a higher limit.`;
  return new DecorumError({ code: 'out_of_range', reason: 'BODY_TOO_LARGE', message });
}
