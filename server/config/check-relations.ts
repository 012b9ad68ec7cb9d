import { isInBlocks } from '@decorum/policy/address/address-blocks.ts';
import { isIP } from 'node:net';

import type { Config } from './config.ts';
import type { Variables } from './create-variables.ts';
import { formatListenAddress, isLoopback } from './parse-listen-address.ts';

/**
 * Refuses or warns about settings that are right one by one and contradict each other:
 *
 * - a fetch may not take longer than the lease that covers it (`DECORUM_FETCH_TOTAL_MS` ≤ `DECORUM_LEASE_MS`);
 * - the lock delay covers the time until the watchdog kills a frozen worker, a third of the lease (M1, M7);
 * - the two listeners do not share a port, and do not stand where the address guard is off.
 */
export function checkRelations(config: Omit<Config, 'warnings'>, variables: Variables): void {
  checkTimes(config, variables);
  checkListeners(config, variables);
}

function checkTimes(
  { leaseMs, lockDelayMs, fetchTotalMs, production }: Omit<Config, 'warnings'>,
  variables: Variables,
): void {
  if (fetchTotalMs > leaseMs) {
    variables.refuse(
      'DECORUM_FETCH_TOTAL_MS',
      `a fetch may take ${fetchTotalMs} ms, longer than a lease of ${leaseMs} ms`,
      'Lower it, or raise DECORUM_LEASE_MS',
    );
  }
  const frozenMs = Math.ceil(leaseMs / 3);
  if (lockDelayMs >= frozenMs) return;
  const problem = `${lockDelayMs} ms are less than the ${frozenMs} ms for which a frozen worker may keep its socket`;
  const remedy = 'Raise it to a third of DECORUM_LEASE_MS or more';
  if (production) variables.refuse('DECORUM_LOCK_DELAY_MS', problem, remedy);
  else variables.warn(`DECORUM_LOCK_DELAY_MS: ${problem}. ${remedy}.`);
}

function checkListeners(config: Omit<Config, 'warnings'>, variables: Variables): void {
  const { grpcAddress, httpAddress, tls, allowAddresses } = config;
  if (grpcAddress.port !== 0 && formatListenAddress(grpcAddress) === formatListenAddress(httpAddress)) {
    variables.refuse(
      'DECORUM_HTTP_ADDRESS',
      'is the same as DECORUM_GRPC_ADDRESS',
      'Give it a port of its own',
    );
  }
  const listeners = [
    { name: 'DECORUM_GRPC_ADDRESS', address: grpcAddress, clear: tls === undefined },
    { name: 'DECORUM_HTTP_ADDRESS', address: httpAddress, clear: true },
  ];
  for (const { name, address, clear } of listeners) {
    if (isIP(address.host) !== 0 && isInBlocks(allowAddresses, address.host)) {
      variables.refuse(
        name,
        'lies in DECORUM_ALLOW_ADDRESSES, so a crawled page could reach it',
        'Listen on 127.0.0.1',
      );
    }
    if (clear && !isLoopback(address)) {
      variables.warn(`${name} is not on loopback and has no TLS: keys cross the network in the clear.`);
    }
  }
}
