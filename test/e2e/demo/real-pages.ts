import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FilePages, RobotsConfig, SiteConfig } from '../../support/web/web-config.ts';

const require = createRequire(import.meta.url);

// HTML documentation that other people wrote, as npm packages ship it (MIT, BSD-3-Clause, Apache-2.0). Nothing of
// it is run; the test web serves the files as they are.
const CANNON = dirname(require.resolve('cannon/package.json'));
const DYGRAPHS = dirname(require.resolve('dygraphs/package.json'));
const GL_MATRIX = dirname(require.resolve('gl-matrix/package.json'));
const P2 = dirname(require.resolve('p2/package.json'));
const ROT = dirname(require.resolve('rot-js/package.json'));
const VIS = dirname(require.resolve('vis/package.json'));
const YJS = dirname(require.resolve('yjs/package.json'));

type Place = Omit<FilePages, 'kind' | 'folder'>;

/** A site on the n-th address of the demo's web. Without rules its robots.txt allows everything. */
function site(
  host: string,
  address: number,
  folder: string,
  place: Place = {},
  robots?: RobotsConfig,
): SiteConfig {
  return {
    host,
    addresses: [`127.64.1.${address}`],
    robots: robots ?? { text: 'User-agent: *\nDisallow:\n' },
    pages: { kind: 'files', folder, ...place },
    latencyMs: { min: 2, max: 40 },
  };
}

const disallow = (...prefixes: string[]): RobotsConfig => ({
  text: ['User-agent: *', ...prefixes.map((prefix) => `Disallow: ${prefix}`), ''].join('\n'),
});

const NETWORK = '/examples/network/';
const TIMELINE = '/examples/timeline/';

/**
 * The sites of the demo: about 750 real pages over 22 names and 20 sites on 8 addresses, the busiest of which is
 * shared by six sites. Documentation that is split over two names redirects from one to the other. Some robots.txt
 * forbid parts; `gl-matrix-docs.test` asks for two seconds between requests, `dygraphs-docs.test` has no robots.txt
 * (404), and that of `cannon-examples.test` answers 503: no page of it may be fetched.
 */
export function listRealPageSites(): SiteConfig[] {
  return [
    site('cannon-api.test', 1, join(CANNON, 'docs'), {
      only: ['/index.html', '/classes/', '/modules/', '/assets/css/'],
      moved: { '/files/': 'cannon-source.test' },
    }),
    site(
      'cannon-source.test',
      2,
      join(CANNON, 'docs'),
      {
        only: ['/files/', '/assets/css/'],
        moved: { '/classes/': 'cannon-api.test', '/modules/': 'cannon-api.test' },
      },
      disallow('/files/src_solver_', '/files/src_utils_'),
    ),
    site('cannon-demos.test', 3, CANNON, { only: ['/demos/', '/build/', '/libs/'] }),
    site(
      'cannon-examples.test',
      8,
      CANNON,
      { only: ['/examples/'] },
      { status: 503, text: 'down for maintenance' },
    ),
    site('p2-api.test', 2, join(P2, 'docs'), {
      only: ['/index.html', '/classes/', '/modules/', '/assets/css/'],
      moved: { '/files/': 'p2-source.test' },
    }),
    site(
      'p2-source.test',
      3,
      join(P2, 'docs'),
      {
        only: ['/files/', '/assets/css/'],
        moved: { '/classes/': 'p2-api.test', '/modules/': 'p2-api.test' },
      },
      {
        text: 'User-agent: *\nDisallow:\n\nUser-agent: decorumbot\nDisallow: /files/src_utils_\nAllow: /files/\n',
      },
    ),
    site(
      'p2-demos.test',
      8,
      P2,
      { only: ['/demos/', '/build/'] },
      disallow('/demos/*Vehicle', '/demos/car.html$'),
    ),
    site('p2-examples.test', 8, P2, { only: ['/examples/', '/build/'] }),
    site(
      'rot-api.test',
      4,
      join(ROT, 'doc'),
      {},
      { text: 'User-agent: *\nDisallow: /interfaces/\nAllow: /interfaces/_lighting_\n' },
    ),
    site('rot-manual.test', 5, join(ROT, 'manual'), { only: ['/pages/'] }),
    site('yjs-docs.test', 5, join(YJS, 'docs'), {}, disallow('/structs_', '/utils_')),
    site(
      'gl-matrix-docs.test',
      6,
      join(GL_MATRIX, 'docs'),
      {},
      { text: 'User-agent: *\nCrawl-delay: 2\nDisallow:\n' },
    ),
    { ...site('dygraphs-docs.test', 8, join(DYGRAPHS, 'docs')), robots: { status: 404 } },
    site('vis-guide.test', 6, VIS, {
      only: ['/docs/'],
      moved: {
        '/examples/graph2d/': 'vis-graph2d.test',
        '/examples/graph3d/': 'vis-graph3d.test',
        [NETWORK]: 'www.vis-network.test',
      },
    }),
    site('vis-graph2d.test', 6, VIS, { only: ['/examples/graph2d/', '/dist/'] }),
    site(
      'vis-graph3d.test',
      8,
      VIS,
      { only: ['/examples/graph3d/', '/dist/'] },
      disallow('/examples/graph3d/playground/'),
    ),
    // Three hosts of one site: they share its one connection, on two addresses.
    site('www.vis-network.test', 7, VIS, {
      only: ['other/', 'physics/', 'exampleApplications/', 'basicUsage'].map((part) => NETWORK + part),
    }),
    site('styles.vis-network.test', 7, VIS, {
      only: ['nodeStyles/', 'edgeStyles/', 'labels/'].map((part) => NETWORK + part),
    }),
    site('data.vis-network.test', 4, VIS, {
      only: ['data/', 'layout/', 'events/', 'imageSelected/'].map((part) => NETWORK + part),
    }),
    site('timeline-items.test', 7, VIS, {
      only: ['items/', 'groups/', 'styling/', 'basicUsage'].map((part) => TIMELINE + part),
    }),
    site('timeline-editing.test', 8, VIS, {
      only: ['editing/', 'interaction/', 'dataHandling/'].map((part) => TIMELINE + part),
    }),
    site(
      'timeline-more.test',
      1,
      VIS,
      { only: [`${TIMELINE}other/`] },
      disallow(`${TIMELINE}other/requirejs/`),
    ),
  ];
}
