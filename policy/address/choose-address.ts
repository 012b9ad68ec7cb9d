import { isIPv4 } from 'node:net';

import type { AddressBlocks } from './address-blocks.ts';
import { decideAddress, type AddressRefusal } from './decide-address.ts';

/** An answer of a resolver that is not used, and why. */
export type RefusedAnswer = { readonly ip: string; readonly refusal: AddressRefusal };

/**
 * `chosen`: connect to `ip`, on a connect failure to the `fallbacks` in order, and to nothing else. `ADDRESS_FORBIDDEN`:
 * the name resolves, but to nothing public. `NO_ADDRESS`: it does not resolve, which is a DNS failure.
 */
export type AddressChoice =
  | {
      readonly kind: 'chosen';
      readonly ip: string;
      readonly fallbacks: readonly string[];
      readonly refused: readonly RefusedAnswer[];
    }
  | {
      readonly kind: 'refused';
      readonly reason: 'ADDRESS_FORBIDDEN' | 'NO_ADDRESS';
      readonly refused: readonly RefusedAnswer[];
    };

/**
 * M5: chooses the address to pin from all answers of one resolution (A and AAAA, the final ones behind any CNAME). Each
 * is checked; IPv4 comes first, and within a family the order of the answers stays. A site that answers with a private
 * address beside public ones is fetched from the public ones only.
 */
export function chooseAddress(answers: readonly string[], exempt?: AddressBlocks): AddressChoice {
  const usable: string[] = [];
  const refused: RefusedAnswer[] = [];
  for (const ip of new Set(answers)) {
    const decision = decideAddress(ip, exempt);
    if (decision.kind === 'public') usable.push(ip);
    else refused.push({ ip, refusal: decision });
  }
  const [ip, ...fallbacks] = [
    ...usable.filter((each) => isIPv4(each)),
    ...usable.filter((each) => !isIPv4(each)),
  ];
  if (ip !== undefined) return { kind: 'chosen', ip, fallbacks, refused };
  return { kind: 'refused', reason: refused.length > 0 ? 'ADDRESS_FORBIDDEN' : 'NO_ADDRESS', refused };
}
