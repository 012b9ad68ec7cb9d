import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { DecorumError } from '../../client/decorum-error.ts';
import type { Decorum } from '../../client/connect.ts';
import { defineCommand } from '../command-module.ts';
import { EXIT } from '../exit-code.ts';
import { printable } from '../print-table.ts';

type Flags = { readonly raw?: boolean; readonly output?: string };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** `decorum body`. Writes the bytes and nothing else. */
export const body = defineCommand<Flags>({
  name: 'body',
  summary: 'write the stored body of a capture',
  configure: (command) =>
    command
      .argument('<capture-id|url>', 'a capture, or the newest one of a URL')
      .option('--raw', 'as received, content codings kept')
      .option('-o, --output <file>', 'to a file, which is replaced'),
  async run(context, { args: [capture = ''], flags }) {
    const client = context.tenant();
    const captureId = UUID.test(capture) ? capture : await findNewest(client, capture);
    const pieces = client.body(captureId, {
      coding: flags.raw === true ? 'raw' : 'decoded',
      signal: context.signal,
    });
    if (flags.output !== undefined) {
      await pipeline(pieces, createWriteStream(flags.output));
    } else {
      await pipeline(context.stdoutIsTerminal ? forTerminal(pieces) : pieces, context.stdout, { end: false });
    }
    return EXIT.ok;
  },
});

async function findNewest(client: Decorum, url: string): Promise<string> {
  const { captures } = await client.api.content.listCaptures({ url, pageSize: 1 });
  const captureId = captures[0]?.captureId;
  if (captureId !== undefined) return captureId;
  const message = `No capture of ${printable(url)} is known. Fetch it with: npx decorum submit --wait <url>`;
  throw new DecorumError({ code: 'not_found', reason: 'NO_CAPTURE', message });
}

/** A page must not be able to drive the terminal it is read on. */
async function* forTerminal(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const piece of pieces) {
    const text = decoder.decode(piece, { stream: true });
    yield text
      .split('\n')
      .map((line) => line.split('\t').map(printable).join('\t'))
      .join('\n');
  }
}
