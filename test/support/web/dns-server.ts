import { createSocket } from 'node:dgram';
import dnsPacket from 'dns-packet';
import type { DnsAnswer } from './web-config.ts';
import { readLogClock, type WebLog } from './web-log.ts';

const RCODE = { noerror: 0, servfail: 2, nxdomain: 3, refused: 5 } as const;
const AUTHORITATIVE_ANSWER = 1 << 10;
const TTL_SECONDS_DEFAULT = 60;

/** The zone, by lower-case name without a trailing dot. Names outside it do not exist. */
export type DnsZone = Map<string, DnsAnswer[]>;

/**
 * Answers DNS queries over UDP on a free port of 127.0.0.1 from a zone that may change between queries. Each
 * (name, type) walks through its answers, one a query; the last one repeats.
 */
export async function startDnsServer(
  zone: DnsZone,
  log: WebLog,
): Promise<{ address: string; restart(name: string): void; stop(): Promise<void> }> {
  const asked = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (message, peer) => {
    const query = decodeQuery(message);
    const question = query?.questions?.[0];
    if (!query || !question) return;
    const name = question.name.toLowerCase();
    const key = `${name} ${question.type}`;
    const turn = asked.get(key) ?? 0;
    asked.set(key, turn + 1);
    const answers = zone.get(name) ?? [{ status: 'nxdomain' }];
    const answer = answers[Math.min(turn, answers.length - 1)] ?? {};
    log.entries.push({
      kind: 'dns',
      at: readLogClock(),
      name,
      type: question.type,
      answer: describe(answer),
    });
    if (answer.status === 'timeout') return;
    socket.send(encodeResponse(query.id ?? 0, question, answer), peer.port, peer.address);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(0, '127.0.0.1', resolve);
  });
  return {
    address: `127.0.0.1:${socket.address().port}`,
    restart(name) {
      for (const key of asked.keys()) if (key.startsWith(`${name} `)) asked.delete(key);
    },
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function decodeQuery(message: Buffer): dnsPacket.DecodedPacket | undefined {
  try {
    return dnsPacket.decode(message);
  } catch {
    return undefined;
  }
}

const describe = (answer: DnsAnswer): string =>
  answer.status ?? [answer.cname, ...(answer.a ?? []), ...(answer.aaaa ?? [])].filter(Boolean).join(' ');

function encodeResponse(id: number, question: dnsPacket.Question, answer: DnsAnswer): Buffer {
  const ttl = answer.ttlSeconds ?? TTL_SECONDS_DEFAULT;
  const owner = answer.cname ?? question.name;
  const answers: dnsPacket.Answer[] = [];
  const status = answer.status === 'timeout' ? undefined : answer.status;
  if (status === undefined) {
    if (answer.cname !== undefined)
      answers.push({ type: 'CNAME', name: question.name, ttl, data: answer.cname });
    if (question.type === 'A')
      for (const data of answer.a ?? []) answers.push({ type: 'A', name: owner, ttl, data });
    if (question.type === 'AAAA')
      for (const data of answer.aaaa ?? []) answers.push({ type: 'AAAA', name: owner, ttl, data });
  }
  const flags = AUTHORITATIVE_ANSWER | dnsPacket.RECURSION_DESIRED | RCODE[status ?? 'noerror'];
  return dnsPacket.encode({ type: 'response', id, flags, questions: [question], answers });
}
