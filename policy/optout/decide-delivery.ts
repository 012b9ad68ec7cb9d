/** One statement of a site about the use of its content, as found. */
export type OptOutSignal = {
  readonly source: 'ROBOTS' | 'RESPONSE_HEADER' | 'HTML_META' | 'TDM_WELL_KNOWN' | 'REGISTERED';
  readonly name: string;
  readonly value: string;
};

/** May a tenant with this purpose have the capture? */
export type DeliveryDecision =
  { readonly kind: 'deliver' } | { readonly kind: 'opted_out'; readonly decidedBy: OptOutSignal };

/**
 * Decides for one purpose whether a capture is delivered, given the signals seen at its fetch. No signal is mapped to a
 * purpose yet, so the answer is always to deliver; the signals themselves are kept on the capture.
 */
export function decideDelivery(_purpose: string, _signals: readonly OptOutSignal[]): DeliveryDecision {
  return { kind: 'deliver' };
}
