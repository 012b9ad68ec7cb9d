import type { DescService } from '@bufbuild/protobuf';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import {
  HealthCheckResponse_ServingStatus as Status,
  type Health,
  type HealthCheckRequest,
} from '@decorum/proto/grpc/health/v1/health_pb.ts';

import { DomainError } from '../../runtime/domain-error.ts';
import type { Readiness } from '../../runtime/readiness.ts';

/** What health needs to know. */
export type HealthDeps = {
  readonly readiness: Readiness;
  readonly services: readonly DescService[];
  /** Aborts when this server wants no more calls: watchers are told and let go. */
  readonly draining: AbortSignal;
};

/**
 * `grpc.health.v1`: the empty name stands for the server. All services share one readiness, since they share what they
 * depend on.
 */
export function healthHandlers({ readiness, services, draining }: HealthDeps): ServiceImpl<typeof Health> {
  const names = ['', ...services.map((service) => service.typeName)];
  const status = (): Status =>
    readiness.current().ready && !draining.aborted ? Status.SERVING : Status.NOT_SERVING;

  async function* watch({ service }: HealthCheckRequest, { signal }: HandlerContext) {
    const current = () => (names.includes(service) ? status() : Status.SERVICE_UNKNOWN);
    let sent: Status | undefined;
    for await (const now of changes(readiness, current, AbortSignal.any([signal, draining]))) {
      if (now !== sent) yield { status: now };
      sent = now;
    }
  }

  return {
    check({ service }) {
      if (names.includes(service)) return { status: status() };
      throw new DomainError({
        kind: 'not_found',
        reason: 'UNKNOWN_SERVICE',
        message: 'no service of that name is served',
      });
    },
    watch,
    list: () => ({ statuses: Object.fromEntries(names.map((name) => [name, { status: status() }])) }),
  };
}

/** The present value, the value after each change, and once more after the signal aborts. */
async function* changes<T>(readiness: Readiness, current: () => T, signal: AbortSignal): AsyncIterable<T> {
  let isStale = true;
  let wake = (): void => undefined;
  const onChange = (): void => {
    isStale = true;
    wake();
  };
  const leave = readiness.subscribe(onChange);
  signal.addEventListener('abort', onChange, { once: true });
  try {
    while (isStale || !signal.aborted) {
      if (isStale) {
        isStale = false;
        yield current();
      } else {
        await new Promise<void>((resolve) => (wake = resolve));
      }
    }
  } finally {
    leave();
    signal.removeEventListener('abort', onChange);
  }
}
