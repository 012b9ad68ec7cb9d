import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { type AptSource, chooseDebianMirrors, parseAptSources } from './apt-sources.ts';
import { runProgram } from './run-program.ts';

/** The Debian release whose nats-server we take (2.10): older ones lack `sync_interval`, and it runs on them unpacked. */
const RELEASE = 'trixie';
/** apt has time-outs of its own; this bounds a mirror that trickles. */
const APT_MS_MAX = 240_000;
/** Scratch directories older than this were left by a start that was killed. */
const SCRATCH_MS_MAX = 3_600_000;
const KEYRINGS = [
  '/usr/share/keyrings/debian-archive-keyring.pgp',
  '/usr/share/keyrings/debian-archive-keyring.gpg',
];

/**
 * Fetches Debian's nats-server into `target` by means of the system's own apt: from the mirror, through the proxy and by the
 * keys that the system is set up with, but with lists, caches and pins of its own, so that the system's stay as they are. Needs
 * no root. `target` is replaced as a whole. Throws when this is no Debian, or the mirror has or proves nothing.
 */
export async function downloadNatsServer(
  target: string,
  scratchRoot: string,
  signal?: AbortSignal,
): Promise<void> {
  const mirrors = chooseDebianMirrors(await readSystemSources(), await readCodename());
  if (mirrors.length === 0) throw new Error('apt is not set up with a mirror of Debian');
  await removeOldScratch(scratchRoot);
  const scratch = await mkdtemp(join(scratchRoot, 'apt-'));
  // apt fetches as a user of its own, which must be able to pass through.
  await chmod(scratch, 0o755);
  try {
    const failures: unknown[] = [];
    for (const mirror of mirrors) {
      try {
        await downloadFrom(mirror, scratch, target, signal);
        return;
      } catch (error) {
        signal?.throwIfAborted();
        failures.push(error);
      }
    }
    throw failures.length === 1 ? failures[0] : new AggregateError(failures, failures.map(String).join('; '));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function downloadFrom(
  mirror: AptSource,
  scratch: string,
  target: string,
  signal?: AbortSignal,
): Promise<void> {
  const config = await writeAptConfig(mirror, scratch);
  const packages = join(scratch, 'packages');
  const common = { cwd: packages, inheritsEnv: true, signal, timeoutMs: APT_MS_MAX };
  await runProgram({ ...common, command: 'apt-get', args: ['-c', config, '-q', 'update'] });
  await runProgram({
    ...common,
    command: 'apt-get',
    args: ['-c', config, '-q', 'download', `nats-server/${RELEASE}`],
  });
  const deb = (await readdir(packages)).find((name) => name.endsWith('.deb'));
  if (deb === undefined) throw new Error('apt-get download left no package');
  await runProgram({ ...common, command: 'dpkg-deb', args: ['-x', deb, join(scratch, 'root')] });
  const fresh = `${scratch}/nats-server`;
  await copyFile(join(scratch, 'root/usr/sbin/nats-server'), fresh);
  await chmod(fresh, 0o755);
  await rename(fresh, target);
}

/** Everything of apt that is kept on disk goes into `scratch`; everything else stays as the system has it. */
async function writeAptConfig(mirror: AptSource, scratch: string): Promise<string> {
  for (const dir of ['lists/partial', 'cache/archives/partial', 'packages']) {
    await mkdir(join(scratch, dir), { recursive: true });
  }
  const architecture = (
    await runProgram({ command: 'dpkg', args: ['--print-architecture'], timeoutMs: 30_000 })
  ).trim();
  const keyring = mirror.signedBy ?? (await findKeyring());
  await writeFile(
    join(scratch, 'debian.sources'),
    [
      'Types: deb',
      `URIs: ${mirror.uri}`,
      `Suites: ${RELEASE}`,
      'Components: main',
      `Architectures: ${architecture}`,
      'Targets: Packages',
      ...(keyring === undefined ? [] : [`Signed-By: ${keyring}`]),
      '',
    ].join('\n'),
  );
  await writeFile(join(scratch, 'status'), '');
  const config = join(scratch, 'apt.conf');
  await writeFile(
    config,
    [
      `Dir::Etc::sourcelist ${quote(join(scratch, 'debian.sources'))};`,
      'Dir::Etc::sourceparts "/dev/null";',
      'Dir::Etc::preferences "/dev/null";',
      'Dir::Etc::preferencesparts "/dev/null";',
      `Dir::State::lists ${quote(join(scratch, 'lists'))};`,
      `Dir::State::status ${quote(join(scratch, 'status'))};`,
      `Dir::Cache ${quote(join(scratch, 'cache'))};`,
      'Dir::Cache::pkgcache "";',
      'Dir::Cache::srcpkgcache "";',
      'Acquire::Retries "2";',
      'Acquire::Languages "none";',
      // The system's hooks refresh indexes of its own lists, which we do not touch.
      '#clear APT::Update::Pre-Invoke;',
      '#clear APT::Update::Post-Invoke;',
      '#clear APT::Update::Post-Invoke-Success;',
      '',
    ].join('\n'),
  );
  return config;
}

function quote(path: string): string {
  if (/["\n]/.test(path)) throw new Error(`apt cannot be given the path ${path}`);
  return `"${path}"`;
}

async function findKeyring(): Promise<string | undefined> {
  for (const keyring of KEYRINGS) {
    if ((await stat(keyring).catch(() => undefined)) !== undefined) return keyring;
  }
  return undefined;
}

async function readSystemSources(): Promise<AptSource[]> {
  const parts = '/etc/apt/sources.list.d';
  const names = await readdir(parts).catch(() => []);
  const files = names.filter((name) => /\.(list|sources)$/.test(name)).map((name) => join(parts, name));
  const texts = ['/etc/apt/sources.list', ...files.sort()].map(async (file) =>
    parseAptSources(file, await readFile(file, 'utf8').catch(() => '')),
  );
  return (await Promise.all(texts)).flat();
}

async function readCodename(): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return /^VERSION_CODENAME="?([a-z]+)"?$/m.exec(release)?.[1] ?? 'sid';
}

async function removeOldScratch(scratchRoot: string): Promise<void> {
  for (const name of await readdir(scratchRoot)) {
    if (!name.startsWith('apt-')) continue;
    const path = join(scratchRoot, name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > SCRATCH_MS_MAX) await rm(path, { recursive: true, force: true });
  }
}
