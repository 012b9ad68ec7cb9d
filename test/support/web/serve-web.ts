import { createServer, type Server } from 'node:net';
import { answerRequest, type WebState } from './answer-request.ts';
import { startDnsServer, type DnsZone } from './dns-server.ts';
import { serveConnection } from './serve-connection.ts';
import { watchEventLoop } from './watch-event-loop.ts';
import type { SiteConfig, WebConfig } from './web-config.ts';
import { createWebLog, type WebLogEntry } from './web-log.ts';
import type { WebChange } from './web-messages.ts';

const IDLE_MS_DEFAULT = 60_000;
const PORT_TRIES_MAX = 20;

/** A running web in this process. */
export type ServedWeb = {
  port: number;
  dnsServer: string;
  change(change: WebChange): Promise<void>;
  /** The log so far, with the event-loop watch brought up to now. */
  takeLog(): WebLogEntry[];
};

/** Serves a web: its DNS, and one listener per address of its sites, all on one port. */
export async function serveWeb(config: WebConfig): Promise<ServedWeb> {
  const log = createWebLog();
  const zone: DnsZone = new Map();
  const web: WebState = { seed: config.seed, port: config.port ?? 0, sites: new Map(), asked: new Map() };
  const listeners = new Map<string, Server>();
  const accept = (server: Server): Server =>
    server.on('connection', (socket) => {
      serveConnection(socket, {
        log,
        scheme: 'http',
        idleMs: config.idleMs ?? IDLE_MS_DEFAULT,
        answer: (request, address) => answerRequest(request, address, web),
      });
    });

  const dns = await startDnsServer(zone, log);
  const change = async ({ sites = [], dns: names = {} }: WebChange): Promise<void> => {
    for (const site of sites) {
      web.sites.set(site.host, site);
      zone.set(site.host, [toDnsAnswer(site, config.dnsTtlSeconds)]);
    }
    for (const [name, answers] of Object.entries(names)) {
      zone.set(name.toLowerCase(), Array.isArray(answers) ? answers : [answers]);
      dns.restart(name.toLowerCase());
    }
    const addresses = sites.flatMap((site) => site.addresses).filter((address) => !listeners.has(address));
    web.port = await listenOnAll(new Set(addresses), web.port, listeners, accept);
  };
  await change(config);
  const watch = watchEventLoop(log);
  return {
    port: web.port,
    dnsServer: dns.address,
    change,
    takeLog() {
      watch.flush();
      return log.entries;
    },
  };
}

function toDnsAnswer(
  { addresses }: SiteConfig,
  ttlSeconds = 60,
): { a: string[]; aaaa: string[]; ttlSeconds: number } {
  const aaaa = addresses.filter((address) => address.includes(':'));
  return { a: addresses.filter((address) => !aaaa.includes(address)), aaaa, ttlSeconds };
}

/** Listens on all addresses or on none; with port 0 on a port that is free on each of them. */
async function listenOnAll(
  addresses: Set<string>,
  port: number,
  listeners: Map<string, Server>,
  accept: (server: Server) => Server,
): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const opened = new Map<string, Server>();
    let chosen = port;
    try {
      for (const address of addresses) {
        const server = await listen(address, chosen);
        opened.set(address, server);
        const bound = server.address();
        if (bound !== null && typeof bound === 'object') chosen = bound.port;
      }
    } catch (error) {
      for (const server of opened.values()) server.close();
      if (port === 0 && attempt < PORT_TRIES_MAX) continue;
      throw error;
    }
    for (const [address, server] of opened) listeners.set(address, accept(server));
    return chosen;
  }
}

function listen(host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port, backlog: 511 }, () => resolve(server));
  });
}
