import { readFile } from 'node:fs/promises';
import { EmbeddedError } from './embedded-error.ts';

/** An unprivileged user of the system. */
export type ServiceUser = { name: string; uid: number; gid: number };

/** A user of our own is preferred; `nobody` is on every system. PostgreSQL wants one that has a name, so a number alone won't do. */
const NAMES = ['decorum', 'nobody'];

/**
 * The user that embedded services run as: undefined (as we do) unless we are root, which PostgreSQL refuses to be run by.
 * Throws `NO_SERVICE_USER` when we are root and the system knows neither `decorum` nor `nobody`.
 */
export async function findServiceUser(): Promise<ServiceUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = parsePasswd(await readFile('/etc/passwd', 'utf8'));
  const user = NAMES.map((name) => users.find((it) => it.name === name)).find((it) => it !== undefined);
  if (user !== undefined) return user;
  throw new EmbeddedError(
    'NO_SERVICE_USER',
    'PostgreSQL does not run as root, and /etc/passwd has no user "decorum" or "nobody" to run it as. ' +
      'Add one, run Decorum as another user, or set DATABASE_URL and NATS_URL.',
  );
}

/** Users of a passwd(5) text that are not root. */
export function parsePasswd(text: string): ServiceUser[] {
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    if (name === undefined || uid === undefined || gid === undefined || !(Number(uid) > 0)) return [];
    return [{ name, uid: Number(uid), gid: Number(gid) }];
  });
}
