import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseDebianMirrors, parseAptSources } from './apt-sources.ts';

test('deb822 entries: comments, several values, folded lines, switched-off and source entries', () => {
  const text = `Types: deb deb-src
# a comment
URIs: http://mirror.test/debian http://other.test/debian
Suites: bookworm
 bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian.gpg

Types: deb
Enabled: no
URIs: http://off.test/debian
Suites: bookworm
Components: main

Types: deb-src
URIs: http://source.test/debian
Suites: bookworm
Components: main

Types: deb
URIs: http://inline.test/debian
Suites: bookworm
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 xxx
`;
  const shared = {
    suites: ['bookworm', 'bookworm-updates'],
    components: ['main', 'contrib'],
    signedBy: '/usr/share/keyrings/debian.gpg',
  };
  assert.deepEqual(parseAptSources('debian.sources', text), [
    { uri: 'http://mirror.test/debian', ...shared },
    { uri: 'http://other.test/debian', ...shared },
    { uri: 'http://inline.test/debian', suites: ['bookworm'], components: ['main'], signedBy: undefined },
  ]);
});

test('one-line entries: options, comments, source entries and blank lines', () => {
  const text = `# deb http://off.test/debian bookworm main

deb [arch=amd64 signed-by=/k.gpg] https://mirror.test/debian bookworm main contrib # why
deb-src http://mirror.test/debian bookworm main
deb mirror+file:/etc/apt/mirrors/debian.list bookworm main
`;
  assert.deepEqual(parseAptSources('/etc/apt/sources.list', text), [
    {
      uri: 'https://mirror.test/debian',
      suites: ['bookworm'],
      components: ['main', 'contrib'],
      signedBy: '/k.gpg',
    },
    {
      uri: 'mirror+file:/etc/apt/mirrors/debian.list',
      suites: ['bookworm'],
      components: ['main'],
      signedBy: undefined,
    },
  ]);
});

test('the mirror of this release comes first; security, other components and other releases do not count', () => {
  const of = (line: string) => parseAptSources('x.list', line);
  const sources = [
    ...of('deb https://packages.test/vendor stable main'),
    ...of('deb http://mirror.test/debian-security bookworm-security main'),
    ...of('deb https://containers.test/linux/debian bookworm stable'),
    ...of('deb http://mirror.test/debian/ bookworm main'),
    ...of('deb http://mirror.test/debian buster main'),
  ];
  assert.deepEqual(
    chooseDebianMirrors(sources, 'bookworm').map(({ uri }) => uri),
    ['http://mirror.test/debian/', 'https://packages.test/vendor'],
  );
});
