import { DecorumError } from '@decorum/sdk/client/decorum-error.ts';
import { isUuid } from '../../archive/record-id.ts';

/** A segment's id as given on the command line, in lower case. Throws a `DecorumError` when it is none. */
export function parseSegmentId(text: string): string {
  const id = text.toLowerCase();
  if (isUuid(id)) return id;
  throw wrong(`${text} is no segment id.`);
}

/** A capture's id, or a member's place as `<segment-id>:<offset>`. Throws a `DecorumError` when it is neither. */
export function parseLocation(text: string): { captureId: string } | { segmentId: string; offset: number } {
  const [id = '', offset, ...rest] = text.split(':');
  if (offset === undefined && isUuid(id.toLowerCase())) return { captureId: id.toLowerCase() };
  if (offset === undefined || !/^\d{1,15}$/.test(offset) || rest.length > 0)
    throw wrong('Expected a capture id, or a member as <segment-id>:<offset>.');
  return { segmentId: parseSegmentId(id), offset: Number(offset) };
}

function wrong(message: string): DecorumError {
  return new DecorumError({ code: 'invalid_argument', reason: 'BAD_ARGUMENT', message });
}
