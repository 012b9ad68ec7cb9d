import { STATUS_CODES } from 'node:http';

/** A piece of an answer: bytes to hand to the socket, or a time to do nothing. */
export type AnswerStep = Uint8Array | { waitMs: number };

/**
 * An answer as the steps that play it on a connection, and how it finishes: `keep` leaves the connection open,
 * `close` sends FIN, `reset` sends RST, `hang` does nothing more until the client leaves.
 */
export type Answer = {
  status: number;
  steps: Iterable<AnswerStep>;
  finish: 'keep' | 'close' | 'reset' | 'hang';
  /** The connection closes before the answer is whole by its own framing. */
  isCut?: boolean;
  location?: string;
  robotsText?: string;
};

/** Header lines in order. */
export type AnswerHeaders = Record<string, string>;

/** The head of an answer; header values go out as Latin-1, unchecked, since some are wrong on purpose. */
export function formatHead(status: number, headers: AnswerHeaders): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`, 'latin1');
}

/** An answer with a body of known length. */
export function answerBody(
  status: number,
  body: Uint8Array | string,
  headers: AnswerHeaders = {},
  contentType = 'text/html; charset=utf-8',
): Answer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const hasBody = status !== 204 && status !== 304;
  const head = formatHead(status, {
    ...(hasBody ? { 'Content-Type': contentType, 'Content-Length': String(bytes.length) } : {}),
    ...headers,
  });
  return { status, steps: hasBody ? [Buffer.concat([head, bytes])] : [head], finish: 'keep' };
}

/** A redirect; `location` must be absolute for the log's sake, the header may say it shorter. */
export function answerRedirect(status: number, location: string, header = location): Answer {
  return { ...answerBody(status, `<a href="${header}">moved</a>`, { Location: header }), location };
}
