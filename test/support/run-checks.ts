/**
 * `npm run check`: everything that is held to be true of the code without running it. All checks run, two at a time, each
 * with its time; the output of those that failed follows. Exits 1 when one did.
 */
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

type Check = { readonly name: string; readonly run: () => Promise<string> };

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OUTPUT_BYTES_MAX = 64 * 2 ** 20;

/** The fewest modules that the layers' check must have looked at: it is silent when it finds none. */
const CRUISED_MODULES_MIN = 300;

/** The largest files that a reader should know of. */
const LARGEST = 5;

const checks: readonly Check[] = [
  { name: 'types', run: () => command('tsc') },
  { name: 'lint', run: () => command('eslint', '--max-warnings=0', '.') },
  { name: 'format', run: () => command('prettier', '--check', '--log-level=warn', '.') },
  { name: 'layers', run: checkLayers },
  { name: 'unused code', run: () => command('knip', '--no-progress', '--no-config-hints') },
  { name: 'contract lint', run: () => command('buf', 'lint') },
  { name: 'contract breaking', run: checkBreaking },
  { name: 'generated code', run: checkGenerated },
  { name: 'schema', run: () => command('node', 'test/support/schema/write-schema.ts', '--check') },
  { name: 'largest files', run: listLargest },
];

const failed: { name: string; output: string }[] = [];
const queue = [...checks];
await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
for (const { name, output } of failed) process.stdout.write(`\n── ${name}\n${output.trim()}\n`);
process.stdout.write(`\n${checks.length - failed.length} passed, ${failed.length} failed\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function work(): Promise<void> {
  for (let check = queue.shift(); check !== undefined; check = queue.shift()) {
    const startedMs = performance.now();
    let note = '';
    let mark = 'ok';
    try {
      note = await check.run();
    } catch (error) {
      mark = 'FAILED';
      failed.push({ name: check.name, output: error instanceof Error ? error.message : String(error) });
    }
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    const said = note.split('\n').filter(Boolean).slice(0, LARGEST).join('\n    ');
    process.stdout.write(
      `${mark.padEnd(7)}${check.name.padEnd(20)}${seconds.padStart(6)} s${said === '' ? '' : `\n    ${said}`}\n`,
    );
  }
}

/** Runs a program of node_modules/.bin; answers nothing, and throws with all that it said when it failed. */
async function command(program: string, ...args: string[]): Promise<string> {
  await capture(program, ...args);
  return '';
}

async function capture(program: string, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: ROOT, maxBuffer: OUTPUT_BYTES_MAX }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${stdout}${stderr}` || error.message));
    });
  });
}

async function checkLayers(): Promise<string> {
  const output = await capture(
    'depcruise',
    '--config',
    '.dependency-cruiser.cjs',
    'policy',
    'server',
    'sdk',
    'proto/gen',
    'test',
  );
  const modules = Number(/(\d+) modules/.exec(output)?.[1] ?? 0);
  if (modules < CRUISED_MODULES_MIN) throw new Error(`only ${modules} modules were cruised\n${output}`);
  return `${modules} modules`;
}

/** Compares the contract with the last commit of main that is not this one, or says that there is none to compare with. */
async function checkBreaking(): Promise<string> {
  const head = (await capture('git', 'rev-parse', 'HEAD')).trim();
  for (const ref of ['origin/main', 'HEAD~1']) {
    const commit = (await capture('git', 'rev-parse', '--verify', '--quiet', ref).catch(() => '')).trim();
    const hasProto = await capture('git', 'cat-file', '-e', `${commit}:buf.yaml`).then(
      () => true,
      () => false,
    );
    if (commit === '' || commit === head || !hasProto) continue;
    await command('buf', 'breaking', '--against', `.git#ref=${commit}`);
    return `against ${ref}`;
  }
  return 'no earlier contract to compare with';
}

/** Generates again; what then differs from what is committed or staged is printed. */
async function checkGenerated(): Promise<string> {
  await command('buf', 'generate');
  const changes = await capture('git', 'status', '--porcelain', 'proto/gen');
  if (changes !== '') throw new Error(`"npm run generate" changes:\n${changes}`);
  return '';
}

async function listLargest(): Promise<string> {
  const files = (await capture('git', 'ls-files', '*.ts'))
    .split('\n')
    .filter((file) => file !== '' && !file.startsWith('proto/gen/'));
  const counts = (await capture('wc', '-l', ...files))
    .split('\n')
    .map((line) => /^\s*(\d+) (.+)$/.exec(line))
    .flatMap((match) =>
      match?.[2] === undefined || match[2] === 'total' ? [] : [{ lines: Number(match[1]), file: match[2] }],
    );
  return counts
    .sort((a, b) => b.lines - a.lines)
    .slice(0, LARGEST)
    .map(({ lines, file }) => `${lines} ${file}`)
    .join('\n');
}
