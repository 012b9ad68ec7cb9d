import { isIP, isIPv4 } from 'node:net';

import type { Variables } from './create-variables.ts';
import { formatListenAddress, type ListenAddress } from './parse-listen-address.ts';

/** The name that robots.txt groups address (RFC 9309 §2.2.1). One for the whole platform; tenants cannot change it. */
export const PRODUCT_TOKEN = 'decorumbot';

const PRODUCT_VERSION = '0.1';
const DEFAULT_CONTACT = 'operator@localhost';

/** Who we are to the sites we crawl. */
export type Identity = {
  /** Absolute, without a slash at the end. */
  readonly publicUrl: string;
  /** A mail address: the `From` field (RFC 9110 §10.1.2), and where complaints go. */
  readonly contact: string;
  /** The `User-Agent` field, with the page that explains us. */
  readonly userAgent: string;
  /**
   * Nobody could reach us by it: the contact is a placeholder or no public URL is set. Good enough for a machine's own
   * loopback addresses; no request may carry it to a public one.
   */
  readonly isPlaceholder: boolean;
  /** The networks our requests come from, as CIDR blocks; empty when not configured. */
  readonly egressBlocks: readonly string[];
};

/** What decides how strict the identity is judged. */
export type IdentityCircumstances = {
  readonly httpAddress: ListenAddress;
  readonly production: boolean;
  /** Addresses are exempt from the guard: this is a test. */
  readonly allowsAddresses: boolean;
};

/** Reads `DECORUM_CONTACT`, `DECORUM_PUBLIC_URL` and `DECORUM_EGRESS_ADDRESSES`. */
export function loadIdentity(variables: Variables, circumstances: IdentityCircumstances): Identity {
  const givenUrl = variables.parsed('DECORUM_PUBLIC_URL', parsePublicUrl, undefined, {
    problem: 'is no http or https URL without user info, query and fragment',
    remedy: 'Give the URL under which site operators reach the HTTP listener, as https://crawler.your-domain',
  });
  const givenContact = variables.parsed('DECORUM_CONTACT', parseMailAddress, undefined, {
    problem: 'is no mail address',
    remedy: 'Give the address that site operators may write to, as crawler@your-domain',
  });
  const publicUrl = givenUrl ?? `http://${formatListenAddress(circumstances.httpAddress)}`;
  const contact = givenContact ?? DEFAULT_CONTACT;
  const isPlaceholder = isPlaceholderContact(contact) || givenUrl === undefined;
  judge(variables, circumstances, { givenUrl, givenContact });
  return {
    publicUrl,
    contact,
    isPlaceholder,
    userAgent: `${PRODUCT_TOKEN}/${PRODUCT_VERSION} (+${publicUrl}/bot)`,
    egressBlocks: loadEgressBlocks(variables),
  };
}

function judge(
  variables: Variables,
  { production, allowsAddresses }: IdentityCircumstances,
  { givenUrl, givenContact }: { givenUrl: string | undefined; givenContact: string | undefined },
): void {
  const remedy = 'Give a mail address that is read by people';
  if (givenContact !== undefined && isPlaceholderContact(givenContact) && (production || !allowsAddresses)) {
    variables.refuse('DECORUM_CONTACT', 'is a placeholder that nobody reads', remedy);
  }
  if (production) {
    if (givenContact === undefined) variables.refuse('DECORUM_CONTACT', 'is not set', remedy);
    if (givenUrl === undefined) {
      variables.refuse(
        'DECORUM_PUBLIC_URL',
        'is not set, and the User-Agent names a page under it',
        'Give the URL under which site operators reach the HTTP listener',
      );
    }
  } else if (givenContact === undefined || givenUrl === undefined) {
    variables.warn(
      'Sites cannot tell who we are: set DECORUM_CONTACT and DECORUM_PUBLIC_URL before crawling anything but this machine.',
    );
  }
}

function parsePublicUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined;
  return url.href.replace(/\/+$/, '');
}

function parseMailAddress(text: string): string | undefined {
  return /^[A-Za-z0-9.!#$%&'*+/=?^_{|}~-]{1,64}@[A-Za-z0-9.-]{1,253}$/.test(text) ? text : undefined;
}

/** RFC 2606 and RFC 6761 names, and hosts without a dot. */
function isPlaceholderContact(contact: string): boolean {
  const domain = contact.slice(contact.lastIndexOf('@') + 1).toLowerCase();
  if (!domain.includes('.')) return true;
  return /(?:^|\.)(?:example|example\.(?:com|net|org|edu)|test|invalid|localhost|local)$/.test(domain);
}

function loadEgressBlocks(variables: Variables): readonly string[] {
  const name = 'DECORUM_EGRESS_ADDRESSES';
  const blocks = variables.list(name).map((item) => ({ item, block: toBlock(item) }));
  const bad = blocks.find(({ block }) => block === undefined);
  if (bad !== undefined) {
    const remedy = 'Give addresses or CIDR blocks, comma separated, as 192.0.2.0/28,2001:db8::1';
    variables.refuse(name, `"${bad.item}" is neither an address nor a CIDR block`, remedy);
  }
  return blocks.flatMap(({ block }) => (block === undefined ? [] : [block]));
}

function toBlock(item: string): string | undefined {
  const [base = '', prefix, ...rest] = item.split('/');
  if (isIP(base) === 0 || base.includes('%') || rest.length > 0) return undefined;
  const bits = isIPv4(base) ? 32 : 128;
  if (prefix === undefined) return `${base}/${bits}`;
  return /^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= bits ? item : undefined;
}
