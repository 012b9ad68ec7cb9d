import type { Config } from '../config/config.ts';
import { systemClock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { drainListeners } from './drain-listeners.ts';
import { API_LIMITS } from './limits.ts';
import { listenHttp } from './listen/listen-http.ts';
import { routeRequests } from './listen/route-requests.ts';
import { createStatusPages, type StatusPageDeps } from './pages/create-pages.ts';

/** What a process without the role `api` needs to be watched. */
export type StartStatusOptions = StatusPageDeps & {
  readonly config: Pick<Config, 'httpAddress' | 'identity'>;
  readonly logger: Logger;
};

/** Serves `/healthz`, `/readyz` and `/metrics` for a process that serves nothing else. */
export async function startStatus({ config, logger, ...deps }: StartStatusOptions) {
  const handle = routeRequests({
    serveRpc: () => false,
    pages: createStatusPages(deps),
    publicUrl: config.identity.publicUrl,
    logger,
  });
  const listener = await listenHttp({ address: config.httpAddress, limits: API_LIMITS, handle });
  return {
    httpAddress: listener.address,
    [Symbol.asyncDispose]: () =>
      drainListeners({
        listeners: [listener],
        limits: API_LIMITS,
        clock: systemClock,
        logger,
        abortCalls: () => undefined,
      }),
  };
}
