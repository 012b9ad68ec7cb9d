import type { DecorumError } from '../client/decorum-error.ts';

/** What the exit codes of `decorum` mean. */
export const EXIT = {
  ok: 0,
  /** It could not be done; the line on standard error says why and what to do. */
  failed: 1,
  /** The command line is wrong, or holds a value that the platform refused as invalid. */
  usage: 2,
  /** Done, but some items were refused. */
  refused: 3,
  /** The platform did not answer. */
  unreachable: 4,
  /** The key is missing, unknown, or not allowed to do this. */
  denied: 5,
  notFound: 6,
  /** Ctrl-C: 128 and the signal's number, as shells have it. */
  interrupted: 130,
} as const;

/** One of `EXIT`. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code for an error of the API. */
export function exitCodeOf({ code }: DecorumError): ExitCode {
  switch (code) {
    case 'unavailable':
    case 'deadline_exceeded':
      return EXIT.unreachable;
    case 'unauthenticated':
    case 'permission_denied':
      return EXIT.denied;
    case 'not_found':
      return EXIT.notFound;
    case 'invalid_argument':
    case 'out_of_range':
      return EXIT.usage;
    default:
      return EXIT.failed;
  }
}
