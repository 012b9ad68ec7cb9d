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
 * Decides for one purpose whether a capture is delivered, given the signals seen at its fetch. A group of the purpose's own
 * token in robots.txt (`decorumbot-ai-train`) takes the capture from it. No other signal is mapped to a purpose yet: they
 * are kept on the capture.
 */
export function decideDelivery(purpose: string, signals: readonly OptOutSignal[]): DeliveryDecision {
  const decidedBy = signals.find(({ source, name }) => source === 'ROBOTS' && isTokenOf(name, purpose));
  return decidedBy === undefined ? { kind: 'deliver' } : { kind: 'opted_out', decidedBy };
}

/** The product token has no "-", so what follows the first one is the purpose. */
function isTokenOf(token: string, purpose: string): boolean {
  return token.slice(token.indexOf('-') + 1) === purpose.toLowerCase().replaceAll('_', '-');
}
