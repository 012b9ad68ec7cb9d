import { fork, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { judgeManners, siteOf, type MannersVerdict } from './judge-manners.ts';
import type { SiteConfig, WebConfig } from './web-config.ts';
import { formatWebLog, type WebLogEntry } from './web-log.ts';
import type { WebChange, WebCommand, WebReply } from './web-messages.ts';

/** A web running in a process of its own. */
export type TestWeb = {
  port: number;
  /** `address:port` of its DNS server, for `DECORUM_DNS_SERVERS`. */
  dnsServer: string;
  /** The URL of a path on a host, with the web's port. */
  url(host: string, path?: string): string;
  /** Replaces or adds sites and names while it runs; the limits of the referee stay. */
  change(change: WebChange): Promise<void>;
  log(): Promise<WebLogEntry[]>;
  /** The referee's verdict on everything so far. */
  report(): Promise<MannersVerdict>;
  /** Writes the log so far as JSON lines. */
  writeLog(file: string): Promise<void>;
  /** Ends the process; the log is gone with it. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

type Done<Kind extends WebReply['done']> = Extract<WebReply, { done: Kind }>;
type CommandBody = WebCommand extends infer Each
  ? Each extends WebCommand
    ? Omit<Each, 'id'>
    : never
  : never;

/** Starts a web and resolves once every address listens; rejects when one cannot. The caller stops it. */
export async function startTestWeb(config: WebConfig): Promise<TestWeb> {
  const child = fork(fileURLToPath(new URL('./main.ts', import.meta.url)), [], {
    execArgv: [],
    serialization: 'advanced',
  });
  const ask = createAsk(child);
  const { port, dnsServer } = await ask('start', { do: 'start', config }).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  const sites = new Map(config.sites.map((site) => [site.host, site]));
  const log = async (): Promise<WebLogEntry[]> => (await ask('log', { do: 'log' })).entries;
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    if (child.connected) child.disconnect();
    await exited;
  };
  return {
    port,
    dnsServer,
    url: (host, path = '/') => `http://${host}:${port}${path}`,
    async change(change) {
      await ask('change', { do: 'change', change });
      for (const site of change.sites ?? []) sites.set(site.host, site);
    },
    log,
    report: async () =>
      judgeManners(await log(), { onlySiteAt: findOnlySites(sites.values()), ...config.manners }),
    writeLog: async (file) => writeFile(file, formatWebLog(await log())),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The addresses that only one site uses, with that site. */
function findOnlySites(sites: Iterable<SiteConfig>): Record<string, string> {
  const sitesAt = new Map<string, Set<string>>();
  for (const { host, addresses } of sites)
    for (const address of addresses)
      sitesAt.set(address, (sitesAt.get(address) ?? new Set()).add(siteOf(host)));
  return Object.fromEntries(
    [...sitesAt].flatMap(([address, [site, other]]) => (site && !other ? [[address, site]] : [])),
  );
}

/** Sends commands and matches replies; a child that is gone fails every question. */
function createAsk(
  child: ChildProcess,
): <Kind extends 'start' | 'change' | 'log'>(done: Kind, command: CommandBody) => Promise<Done<Kind>> {
  let id = 0;
  const waiting = new Map<number, { resolve(reply: WebReply): void; reject(error: Error): void }>();
  child.on('message', (reply: WebReply) => {
    const question = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.done === 'error') question?.reject(new Error(reply.message));
    else question?.resolve(reply);
  });
  const fail = (): void => {
    for (const question of waiting.values()) question.reject(new Error('the test web is gone'));
    waiting.clear();
  };
  child.once('exit', fail);
  child.once('error', fail);
  return (done, command) =>
    new Promise((resolve, reject) => {
      const questionId = ++id;
      waiting.set(questionId, { resolve: (reply) => resolve(reply as Done<typeof done>), reject });
      child.send({ ...command, id: questionId }, (error) => {
        if (!error) return;
        waiting.delete(questionId);
        reject(error);
      });
    });
}
