/**
 * Knows when the connection of a transaction is gone. postgres.js (3.4) writes to a connection that was closed under a
 * transaction: its next statement, or its own rollback, throws where nobody can catch it and leaves the connection of the
 * pool unusable. So `transact.ts` sends nothing on a connection after its `close`, and lets the work of such a transaction
 * never end, so that the driver does not roll it back. (`sql.reserve()` is no way out: on a connection that comes back it
 * never resolves.)
 *
 * The driver says which connection a statement goes to (`debug`) and which one closed (`onclose`); the asynchronous context
 * of a transaction's first statement joins the two.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** One transaction's connection. */
export type ConnectionWatch = { id: number | undefined; isLost: boolean };

const begun = new AsyncLocalStorage<ConnectionWatch>();
const watches = new Map<number, ConnectionWatch>();

/** The driver's options that this needs; the same for every pool, since the ids of connections are the process'. */
export const watchOptions = {
  debug(id: number) {
    const watch = begun.getStore();
    if (watch === undefined || watch.id !== undefined) return;
    watch.id = id;
    watches.set(id, watch);
  },
  onclose(id: number) {
    const watch = watches.get(id);
    if (watch !== undefined) watch.isLost = true;
    watches.delete(id);
  },
};

/** A watch of a connection that is not known yet. */
export function createWatch(): ConnectionWatch {
  return { id: undefined, isLost: false };
}

/** Begins a transaction; the watch is of the connection that its first statement goes to. */
export function watchConnection<T>(watch: ConnectionWatch, begin: () => Promise<T>): Promise<T> {
  return begun.run(watch, begin);
}

/** Ends a watch; the connection goes back to its pool. */
export function endWatch({ id }: ConnectionWatch): void {
  if (id !== undefined) watches.delete(id);
}
