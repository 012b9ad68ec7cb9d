/**
 * Why an embedded service could not be started:
 * - `PORT_IN_USE`: the port that was asked for is taken by something else
 * - `DATA_DIR_IN_USE`: another platform runs on the data directory (`pid` says which process)
 * - `DATA_DIR_VERSION`: the database was made by another major version of PostgreSQL
 * - `DATA_DIR_UNUSABLE`: the directory is no directory, belongs to someone else, or lacks parts
 * - `NO_BINARY`: there is no server program for this machine; the message says how to get one
 * - `NO_SERVICE_USER`: we are root, and the system has no unprivileged user to run a service as
 * - `START_FAILED`: the service ended by itself or did not become ready; the message ends with its last words
 */
export type EmbeddedErrorReason =
  | 'PORT_IN_USE'
  | 'DATA_DIR_IN_USE'
  | 'DATA_DIR_VERSION'
  | 'DATA_DIR_UNUSABLE'
  | 'NO_BINARY'
  | 'NO_SERVICE_USER'
  | 'START_FAILED';

/** An embedded service could not be started. The message is meant for the person at the terminal. */
export class EmbeddedError extends Error {
  readonly reason: EmbeddedErrorReason;
  /** The process that stands in the way, when it is known. */
  readonly pid: number | undefined;

  constructor(reason: EmbeddedErrorReason, message: string, more: { pid?: number; cause?: unknown } = {}) {
    super(message, { cause: more.cause });
    this.name = 'EmbeddedError';
    this.reason = reason;
    this.pid = more.pid;
  }
}
