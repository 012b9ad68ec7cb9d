import type { Outcome } from '../retry/attempt-table.ts';

/** What is billed. */
export type Meter = 'fetch';

/** One line of a charge: `quantity / shareOf` units of the meter for `amountNanos` nano-units of the currency. */
export type PriceLine = {
  readonly meter: Meter;
  readonly quantity: bigint;
  readonly shareOf: number;
  readonly amountNanos: bigint;
  readonly priceBookVersion: number;
};

/** What an attempt that ended a request came to, as far as the bill goes. */
export type PricedAttempt = {
  readonly outcome: Outcome;
  /** How many requests the one fetch answered; at least 1. */
  readonly shareOf: number;
};

/** The price book that is in force until finance sets one: everything is counted and costs nothing. */
export const FREE_PRICE_BOOK_VERSION = 0;

/**
 * The charge lines of a request that an attempt ended (T2). The quantity is exact: a coalesced fetch is one fetch as one
 * of `shareOf`.
 */
export function priceLines({ shareOf }: PricedAttempt): readonly PriceLine[] {
  return [
    { meter: 'fetch', quantity: 1n, shareOf, amountNanos: 0n, priceBookVersion: FREE_PRICE_BOOK_VERSION },
  ];
}
