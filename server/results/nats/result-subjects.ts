import type { AccountExport, AccountImport } from './account-claims.ts';

/** Prefix under which a tenant's account finds the JetStream calls it may make (the client's `apiPrefix`). */
export const TENANT_API_PREFIX = 'decorum.API';

/** What a tenant may ask of the account PLATFORM about one of its streams; nothing else of JetStream is reachable. */
const SERVICES = [
  { name: 'next', call: 'CONSUMER.MSG.NEXT', rest: '*', responseType: 'Stream' },
  { name: 'info', call: 'CONSUMER.INFO', rest: '*', responseType: 'Singleton' },
] as const;

/**
 * The three services that PLATFORM exports. They are written with a wildcard for the stream, so that PLATFORM's JWT stays
 * three entries long however many tenants there are; what separates tenants is that each needs an activation token, and
 * tokens name one stream.
 */
export function platformExports(): AccountExport[] {
  return [
    ...SERVICES.map(({ name, call, rest, responseType }) => ({
      name,
      subject: `$JS.API.${call}.*.${rest}`,
      responseType,
    })),
    { name: 'ack', subject: '$JS.ACK.*.>', responseType: 'Singleton' },
  ];
}

/** An import that still lacks its account and token. */
export type StreamService = Pick<AccountImport, 'name' | 'subject' | 'localSubject'>;

/** The services of one stream, as the tenant that owns it imports them. Acknowledgements keep their subject: clients send them where the message says. */
export function streamServices(stream: string): StreamService[] {
  const ack = `$JS.ACK.${stream}.>`;
  return [
    ...SERVICES.map(({ name, call, rest }) => ({
      name: `${name}-${stream}`,
      subject: `$JS.API.${call}.${stream}.${rest}`,
      localSubject: `${TENANT_API_PREFIX}.${call}.${stream}.${rest}`,
    })),
    { name: `ack-${stream}`, subject: ack, localSubject: ack },
  ];
}
