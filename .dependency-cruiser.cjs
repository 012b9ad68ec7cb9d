// The layers of the project, one way only (see the code map in README.md).
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, pathNot: '\\.test\\.ts$' },
  to: { path: '^(policy|server|sdk|proto|test)/', pathNot: allowed },
});
const fenced = (name, module, home, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: '^server/', pathNot: `(${home}|\\.test\\.ts$)` },
  to: { path: module },
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    only('policy-is-pure', '^policy/', '^policy/', 'policy imports nothing of ours'),
    {
      name: 'policy-does-nothing',
      comment: 'no I/O, no clock, no environment in policy',
      severity: 'error',
      from: { path: '^policy/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|net|url|buffer|zlib|util)$' },
    },
    only('proto-stands-alone', '^proto/', '^proto/'),
    only('sdk-layer', '^sdk/', '^(sdk|proto|policy)/'),
    only('runtime-is-a-leaf', '^server/runtime/', '^server/runtime/'),
    only('config-layer', '^server/config/', '^(server/(config|runtime)|policy)/'),
    only('store-layer', '^server/store/', '^(server/(store|runtime)|policy)/'),
    only('archive-layer', '^server/archive/', '^(server/(archive|store|runtime)|policy)/'),
    only('frontier-layer', '^server/frontier/', '^(server/(frontier|store|runtime)|policy)/'),
    only('results-layer', '^server/results/', '^(server/(results|store|runtime|archive)|policy|proto)/'),
    only(
      'fetch-layer',
      '^server/fetch/',
      '^(server/(fetch|archive|runtime)|policy|proto)/',
      'fetch talks to the rest through RPCs',
    ),
    only('embedded-layer', '^server/embedded/', '^server/(embedded|runtime|config|results)/'),
    only(
      'api-layer',
      '^server/api/',
      '^(server/(api|config|frontier|results|archive|billing|policy|store|runtime)|policy|proto)/',
    ),
    only('cli-layer', '^server/cli/', '^(server|sdk|policy|proto)/'),
    {
      name: 'only-main-wires',
      severity: 'error',
      from: { path: '^(server|sdk)/', pathNot: '^server/main\\.ts$' },
      to: { path: '^server/main\\.ts$' },
    },
    {
      name: 'no-tests-in-the-product',
      severity: 'error',
      from: { path: '^(policy|server|sdk|proto)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^test/' },
    },
    fenced('postgres-in-store', 'node_modules/postgres/', '^server/store/'),
    fenced('undici-in-fetch', 'node_modules/undici/', '^server/fetch/'),
    fenced('nats-in-results', 'node_modules/@nats-io/', '^server/results/'),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(test/e2e/demo/web|proto/gen/google|proto/gen/grpc)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
