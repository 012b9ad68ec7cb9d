import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import { Channel, ChannelCredentials } from '@grpc/grpc-js';
import type { AddressList } from './parse-addresses.ts';
import { listTarget } from './list-resolver.ts';

/** The largest message sent. A Submit of 1,000 URLs at their longest with all options is about 3 MB. */
export const SEND_BYTES_MAX = 8 * 2 ** 20;
/** The largest message received: whole results with their texts, read a hundred at a time. */
export const RECEIVE_BYTES_MAX = 64 * 2 ** 20;

/** A ping goes out when nothing was received for this long while a call is under way. */
const KEEPALIVE_MS = 20_000;
const KEEPALIVE_TIMEOUT_MS = 10_000;
const RECONNECT_MIN_MS = 200;
const RECONNECT_MAX_MS = 5_000;
/** grpc-js keeps 64 KiB in flight, which caps a connection at 1.3 MB/s over 50 ms. */
const WINDOW_BYTES = 2 ** 20;

/** How the certificate of an `https://` address is verified. */
export type TlsOptions = {
  /** PEM of the authorities to trust in place of the system's. */
  readonly rootCertificates?: Uint8Array;
};

/**
 * A grpc-js channel over all addresses: it connects to each, picks one per call in turn, and reconnects by itself.
 *
 * Over TLS, a certificate is accepted on any address when it fits one of the listed names: they are one service. The
 * caller closes the channel.
 */
export function createChannel(
  { secure, addresses }: AddressList,
  tls: TlsOptions,
  userAgent: string,
): Channel {
  const names = addresses.map(({ host }) => host);
  const credentials = secure
    ? ChannelCredentials.createSsl(
        tls.rootCertificates === undefined ? null : Buffer.from(tls.rootCertificates),
        null,
        null,
        {
          checkServerIdentity: (host, certificate) =>
            names.some((name) => checkServerIdentity(name, certificate) === undefined)
              ? undefined
              : checkServerIdentity(host, certificate),
        },
      )
    : ChannelCredentials.createInsecure();
  return new Channel(listTarget(addresses), credentials, {
    'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
    'grpc.primary_user_agent': userAgent,
    'grpc.max_send_message_length': SEND_BYTES_MAX,
    'grpc.max_receive_message_length': RECEIVE_BYTES_MAX,
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
    'grpc.initial_reconnect_backoff_ms': RECONNECT_MIN_MS,
    'grpc.max_reconnect_backoff_ms': RECONNECT_MAX_MS,
    'grpc-node.flow_control_window': WINDOW_BYTES,
    ...tlsName(names),
    // Connections belong to this channel, so that closing it closes them.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_http_proxy': 0,
    'grpc.enable_channelz': 0,
  });
}

/** What TLS asks for by name (SNI): the first address that has one, since an IP literal may not stand there. */
function tlsName(names: readonly string[]) {
  const name = names.find((host) => isIP(host) === 0);
  return name === undefined ? {} : { 'grpc.ssl_target_name_override': name };
}
