import type { MannersRules } from './judge-manners.ts';

/**
 * The whole test web as data: it crosses a process boundary as JSON, and the same config serves the same bytes.
 * Names live under `.test`, addresses in 127.64.0.0/10; several names may share an address.
 */
export type WebConfig = {
  /** Decides every generated page and every varying latency. */
  seed: number;
  /** The one port on all addresses; a free one by default. */
  port?: number;
  /** How long a kept connection may be idle before the web closes it; 60,000 ms by default. */
  idleMs?: number;
  sites: SiteConfig[];
  /**
   * Answers for names beyond (or instead of) those of the sites. A list is given out in sequence, one per
   * query of a record type, and its last answer repeats: that is how a rebinding name is written.
   */
  dns?: Record<string, DnsAnswer | DnsAnswer[]>;
  /** TTL of the sites' own records; 60 s by default. */
  dnsTtlSeconds?: number;
  /** Limits the referee judges by where they differ from the default manners. */
  manners?: MannersRules;
};

/** One host of the web. Hosts with the same last two labels are one site to the referee. */
export type SiteConfig = {
  host: string;
  addresses: string[];
  /** Without it, robots.txt answers 404. */
  robots?: RobotsConfig;
  pages: PageSource;
  /** Time before the first byte of every answer: fixed, or drawn by seed and path between two bounds. */
  latencyMs?: number | { min: number; max: number };
  /** Fixed answers by path, before every other page of the site. */
  literals?: Record<string, LiteralPage>;
  /** Serves the pathologies (`/status/503`, `/drip`, …); on by default for generated sites, off for files. */
  pathologies?: boolean;
};

/** What `/robots.txt` does. `redirect` may be absolute or a path; `hang` never answers. */
export type RobotsConfig = {
  text?: string;
  status?: number;
  redirect?: string;
  delayMs?: number;
  hang?: boolean;
};

/** A fixed answer. `isRobots` says that robots.txt redirects here, so that the referee reads the text as rules. */
export type LiteralPage = {
  status?: number;
  contentType?: string;
  headers?: Record<string, string>;
  body?: string;
  isRobots?: boolean;
};

/** Where a site's pages come from. */
export type PageSource = GeneratedPages | FilePages;

/** `count` pages (`/`, `/page/1`, …) that are all reachable from `/` and link to other generated sites too. */
export type GeneratedPages = {
  kind: 'generated';
  count: number;
  /** Links to pages of the same host, 10 by default. */
  linksPerPage?: number;
  /** Links to pages of other generated hosts, 2 by default. */
  outsideLinksPerPage?: number;
  /** Bounds of a page's size, 2,000 to 20,000 by default. */
  bytesMin?: number;
  bytesMax?: number;
};

/** Files of a folder, as they are. `/` is the folder's `index.html`, or a page that links every HTML file. */
export type FilePages = {
  kind: 'files';
  folder: string;
  /** Path prefixes (`/classes/`) that the site keeps of the folder; all by default. */
  only?: string[];
  /** Path prefixes whose pages moved to another host of the web: answered 301 to the same path there. */
  moved?: Record<string, string>;
};

/** One DNS answer. Without a status it is NOERROR, with what records of the asked type there are. */
export type DnsAnswer = {
  a?: string[];
  aaaa?: string[];
  cname?: string;
  ttlSeconds?: number;
  status?: 'nxdomain' | 'servfail' | 'refused' | 'timeout';
};
