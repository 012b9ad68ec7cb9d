/**
 * `npm run tour`: the platform on its usual addresses beside the demo's web of real pages, on port 8000, for the README's
 * five-minute tour. Runs until Ctrl-C; what was crawled stays in `.data`.
 */
import { startPlatform } from '../../support/platform.ts';
import { startTestWeb } from '../../support/web/start-test-web.ts';
import { listRealPageSites } from './real-pages.ts';

const WEB_PORT = 8000;

const interrupted = new Promise((resolve) => {
  process.once('SIGINT', resolve);
  process.once('SIGTERM', resolve);
});
await using web = await startTestWeb({ seed: 1, port: WEB_PORT, sites: listRealPageSites() });
await using platform = await startPlatform({
  dataDir: process.env['DECORUM_DATA_DIR'] ?? '.data',
  env: {
    DECORUM_GRPC_ADDRESS: '127.0.0.1:7070',
    DECORUM_HTTP_ADDRESS: '127.0.0.1:7080',
    DECORUM_DNS_SERVERS: web.dnsServer,
    DECORUM_ALLOW_ADDRESSES: '127.64.0.0/10',
    DECORUM_LOG_LEVEL: 'error',
  },
});
const hosts = listRealPageSites().map(({ host }) => host);
process.stdout.write(`The platform listens on ${platform.url} (gRPC) and ${platform.httpUrl} (JSON, pages).
Beside it a web of real pages, to be reached through the platform only: http://<name>:${WEB_PORT}/ with the names
  ${hosts.join(' ')}
Go on in a second terminal. Ctrl-C ends both.
`);
await interrupted;
