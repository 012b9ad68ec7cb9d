/** One place that apt takes packages from (sources.list(5)). */
export type AptSource = {
  uri: string;
  suites: string[];
  components: string[];
  /** Keyring files; absent: apt's own trusted keys (or a key written into the entry, which counts as absent here). */
  signedBy: string | undefined;
};

/** Reads the binary-package entries of a source file: deb822 style when its name ends in `.sources`, one line each otherwise. */
export function parseAptSources(fileName: string, text: string): AptSource[] {
  return fileName.endsWith('.sources')
    ? text.split(/\n\s*\n/).flatMap(parseStanza)
    : text.split('\n').flatMap(parseLine);
}

/**
 * The sources that may be mirrors of Debian's archive, likeliest first: those that serve this release's main component. Which of them
 * is Debian's is proved by the signature of what is taken from it, not by its name.
 */
export function chooseDebianMirrors(sources: AptSource[], codename: string): AptSource[] {
  const releases = new Set([codename, 'stable', 'oldstable', 'testing', 'unstable', 'sid']);
  const serving = sources.filter(
    ({ suites, components }) => components.includes('main') && suites.some((suite) => releases.has(suite)),
  );
  const isNamedDebian = ({ uri }: AptSource): number => (/\/debian\/?$/.test(uri) ? 0 : 1);
  return serving.sort((a, b) => isNamedDebian(a) - isNamedDebian(b));
}

function parseStanza(stanza: string): AptSource[] {
  const fields = new Map<string, string>();
  let name = '';
  for (const line of stanza.split('\n')) {
    if (line.startsWith('#')) continue;
    const start = /^([A-Za-z-]+):(.*)$/.exec(line);
    if (start !== null) name = (start[1] ?? '').toLowerCase();
    fields.set(name, `${fields.get(name) ?? ''} ${start === null ? line : (start[2] ?? '')}`.trim());
  }
  const words = (field: string): string[] =>
    (fields.get(field) ?? '').split(/\s+/).filter((word) => word !== '');
  if (fields.get('enabled')?.toLowerCase() === 'no' || !words('types').includes('deb')) return [];
  const shared = {
    suites: words('suites'),
    components: words('components'),
    signedBy: keyringPath(fields.get('signed-by')),
  };
  return words('uris').map((uri) => ({ uri, ...shared }));
}

function parseLine(line: string): AptSource[] {
  const entry = /^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s*([^#]*)/.exec(line.trim());
  if (entry === null) return [];
  const [, options = '', uri = '', suite = '', components = ''] = entry;
  const signedBy = /(?:^|\s)signed-by=(\S+)/.exec(options)?.[1];
  return [
    {
      uri,
      suites: [suite],
      components: components.split(/\s+/).filter(Boolean),
      signedBy: keyringPath(signedBy),
    },
  ];
}

function keyringPath(signedBy: string | undefined): string | undefined {
  return signedBy?.startsWith('/') === true ? signedBy : undefined;
}
