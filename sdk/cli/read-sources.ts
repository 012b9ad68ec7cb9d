import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { DecorumError } from '../client/decorum-error.ts';
import type { FetchInput } from '../client/fetch-input.ts';

/**
 * The URLs that `sources` name, in order: a URL stands for itself, `-` for the lines of `stdin`, anything else for the
 * lines of a file. A line is a URL, or a JSON object with the options of one (`{"url": …, "band": 6}`); empty lines and
 * those that start with `#` are skipped. Throws `invalid_argument` with the place of what it can't read.
 */
export async function* readSources(sources: readonly string[], stdin: Readable): AsyncGenerator<FetchInput> {
  for (const source of sources) {
    if (/^[a-z][a-z0-9+.-]*:/i.test(source)) yield { url: source };
    else if (source === '-') yield* readLines('standard input', stdin);
    else {
      await assertFile(source);
      yield* readLines(source, createReadStream(source));
    }
  }
}

async function assertFile(source: string): Promise<void> {
  const found = await stat(source).catch(() => undefined);
  if (found?.isFile() === true || found?.isFIFO() === true) return;
  throw invalid(
    `"${source}" is neither a URL nor a file. Give URLs with http:// or https://, files of URLs, or - for standard input.`,
  );
}

async function* readLines(name: string, input: Readable): AsyncGenerator<FetchInput> {
  let number = 0;
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    number += 1;
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    yield text.startsWith('{') ? parseObject(text, `${name}, line ${number}`) : { url: text };
  }
}

const DATES = ['notBefore', 'deadline'] as const;
const OPTIONS: ReadonlySet<string> = new Set([
  'url',
  'band',
  'reason',
  'tier',
  'label',
  ...DATES,
  'maxAgeMs',
  'onlyIfNew',
  'maxBodyBytes',
  'extract',
  'clientRef',
]);

function parseObject(text: string, place: string): FetchInput {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch (error) {
    throw invalid(`${place}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const input = { ...(fields as Record<string, unknown>) };
  const unknown = Object.keys(input).find((name) => !OPTIONS.has(name));
  if (unknown !== undefined)
    throw invalid(`${place}: the option "${unknown}" is not known; known are ${[...OPTIONS].join(', ')}`);
  if (typeof input['url'] !== 'string') throw invalid(`${place}: "url" is missing`);
  for (const name of DATES) if (typeof input[name] === 'string') input[name] = new Date(input[name]);
  // What is left is judged where the message is made, and by the platform.
  return input as FetchInput;
}

function invalid(message: string): DecorumError {
  return new DecorumError({ code: 'invalid_argument', reason: 'INVALID_INPUT', message });
}
