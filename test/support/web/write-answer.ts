import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, AnswerStep } from './answer.ts';
import { readLogClock, type RequestEntry } from './web-log.ts';

// What is left for the last write of a long answer: by then the kernel has all the rest, so the end is
// stamped when the client is about to have everything, not when a megabyte was queued.
const LAST_WRITE_BYTES_MAX = 1_024;

/**
 * Plays an answer on a connection and stamps the entry's end before the last byte is handed to the kernel. Stops
 * as soon as `left` aborts (the client's close was seen); the caller then stamps the end.
 */
export async function writeAnswer(
  socket: Socket,
  answer: Answer,
  entry: RequestEntry,
  left: AbortSignal,
): Promise<void> {
  entry.status = answer.status;
  if (answer.location !== undefined) entry.location = answer.location;
  if (answer.robotsText !== undefined) entry.robotsText = answer.robotsText;
  for (const { step, isLast } of markLast(splitLast(answer.steps))) {
    if (!(step instanceof Uint8Array)) {
      await sleep(step.waitMs, undefined, { signal: left }).catch(() => undefined);
    } else if (!left.aborted) {
      if (isLast && answer.finish !== 'hang') entry.endedAt = readLogClock();
      entry.bytes += step.length;
      if (!socket.write(step)) await drained(socket, left);
    }
    if (left.aborted) return;
  }
  if (answer.finish === 'hang') return;
  entry.endedAt ??= readLogClock();
  entry.isComplete = answer.finish !== 'reset' && answer.isCut !== true;
}

/** Cuts a small last piece off a long last write. */
function* splitLast(steps: Iterable<AnswerStep>): Iterable<AnswerStep> {
  for (const { step, isLast } of markLast(steps)) {
    if (isLast && step instanceof Uint8Array && step.length > 16 * LAST_WRITE_BYTES_MAX) {
      yield step.subarray(0, -LAST_WRITE_BYTES_MAX);
      yield step.subarray(-LAST_WRITE_BYTES_MAX);
    } else yield step;
  }
}

function* markLast(steps: Iterable<AnswerStep>): Iterable<{ step: AnswerStep; isLast: boolean }> {
  let held: AnswerStep | undefined;
  for (const step of steps) {
    if (held !== undefined) yield { step: held, isLast: false };
    held = step;
  }
  if (held !== undefined) yield { step: held, isLast: true };
}

function drained(socket: Socket, left: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done);
      left.removeEventListener('abort', done);
      resolve();
    };
    socket.once('drain', done);
    left.addEventListener('abort', done);
  });
}
