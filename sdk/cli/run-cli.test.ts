import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { test } from 'node:test';
import { DecorumError } from '../client/decorum-error.ts';
import type { DecorumErrorCode } from '../client/decorum-error.ts';
import { API_COMMANDS } from './api-commands.ts';
import { defineCommand } from './command-module.ts';
import { EXIT } from './exit-code.ts';
import { wholeNumber } from './option-parsers.ts';
import { OUTPUT_CLOSED, runCli } from './run-cli.ts';

type Flags = { readonly count?: number; readonly fail?: DecorumErrorCode; readonly wait?: boolean };

const columns = [
  { title: 'NAME', value: ({ name }: { name: string }) => name },
  { title: 'BIG', value: ({ big }: { big: bigint }) => String(big) },
];

const show = defineCommand<Flags>({
  name: 'thing show',
  summary: 'shows a thing',
  configure: (command) =>
    command
      .argument('[names...]')
      .option('--count <n>', 'how many', wholeNumber(1, 9))
      .option('--fail <code>')
      .option('--wait'),
  async run(context, { args, flags }) {
    if (flags.fail !== undefined)
      throw new DecorumError({ code: flags.fail, reason: 'WHY', message: 'no\n  way', retryAfterMs: 5 });
    if (flags.wait === true)
      await new Promise((_resolve, reject) => context.signal.addEventListener('abort', reject));
    for (const name of args)
      await context.printRow(columns, {
        name,
        big: 2n ** 60n,
        bytes: new Uint8Array([1, 2]),
        at: new Date(0),
      });
    await context.printFields({ count: flags.count }, { count: flags.count, url: context.config.url });
    return EXIT.ok;
  },
});

async function run(args: string[], { signal = new AbortController().signal } = {}) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const config = { url: 'http://127.0.0.1:9', key: undefined, operatorKeyFile: '/nonexistent/operator.key' };
  const host = { stdin: Readable.from([]), stdout, stderr, signal };
  const code = await runCli({ commands: [...API_COMMANDS, show], version: '1.2.3', args, host, config });
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

test('rows and fields for people, objects for machines, wherever --json stands', async () => {
  const people = await run(['thing', 'show', 'a', '--count', '3']);
  assert.equal(people.code, 0);
  assert.equal(people.out, 'NAME  BIG\na     1152921504606846976\ncount  3\nurl    http://127.0.0.1:9\n');
  for (const args of [
    ['--json', 'thing', 'show', 'a'],
    ['thing', 'show', 'a', '--json'],
  ]) {
    const { out, code } = await run(args);
    assert.equal(code, 0);
    assert.deepEqual(
      out
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
      [{ name: 'a', big: '1152921504606846976', bytes: 'AQI=', at: '1970-01-01T00:00:00.000Z' }, {}],
    );
  }
});

test('an error is one line with a remedy, or one object, and an exit code of its kind', async () => {
  const { err, out, code } = await run(['thing', 'show', '--fail', 'internal']);
  assert.deepEqual({ err, out, code }, { err: 'decorum: no way\n', out: '', code: 1 });
  for (const [name, exit] of [
    ['unavailable', 4],
    ['deadline_exceeded', 4],
    ['unauthenticated', 5],
    ['permission_denied', 5],
    ['not_found', 6],
    ['invalid_argument', 2],
    ['resource_exhausted', 1],
  ] as const) {
    const failed = await run(['thing', 'show', '--json', '--fail', name]);
    assert.equal(failed.code, exit, name);
    assert.deepEqual(JSON.parse(failed.err), {
      error: { code: name, reason: 'WHY', message: 'no\n  way', retryAfterMs: 5, metadata: {} },
    });
  }
});

test('a wrong command line is told in a line, with exit code 2', async () => {
  for (const [args, text] of [
    [['thing', 'show', '--count', '10'], 'expected a whole number from 1 to 9'],
    [['thing', 'show', '--colour'], "unknown option '--colour'"],
    [['thin'], "unknown command 'thin'"],
    [['submit'], "missing required argument 'source'"],
    [['submit', 'http://a.test', '--max-age', 'soon'], 'expected a number and a unit'],
    [['submit', 'http://a.test', '--band', '8'], 'from 0 to 7'],
    [['submit', 'http://a.test', '--extract', 'links,words'], 'expected links, text'],
    [['results', '--lane', 'fast'], 'urgent, bulk'],
    [['key', 'create'], "'--role <role>'"],
    [['key', 'create', '--role', 'boss'], 'expected tenant, fetcher'],
    [['tenant', 'create', 'a'], "'--purpose <code>'"],
  ] as const) {
    const { code, err, out } = await run([...args]);
    assert.equal(code, 2, args.join(' '));
    assert.ok(err.startsWith('decorum: ') && err.includes(text), err);
    assert.equal(out, '');
  }
});

test('help and version are no errors; a group or nothing shows help', async () => {
  const help = await run(['--help']);
  assert.equal(help.code, 0);
  for (const word of ['submit', 'results', 'body', 'tenant', 'key', 'Exit codes'])
    assert.ok(help.out.includes(word), word);
  assert.deepEqual(await run(['--version']), { code: 0, out: '1.2.3\n', err: '' });
  const group = await run(['tenant']);
  assert.equal(group.code, 2);
  assert.ok(group.err.includes('create'));
  assert.equal((await run([])).code, 2);
});

test('a command without its key says which one it needs and how to get it', async () => {
  const tenant = await run(['submit', 'http://a.test']);
  assert.equal(tenant.code, 5);
  assert.match(tenant.err, /needs a tenant's key.*npx decorum key create/);
  const operator = await run(['tenant', 'list']);
  assert.equal(operator.code, 5);
  assert.match(operator.err, /needs an operator's key.*\/nonexistent\/operator\.key/);
});

test('Ctrl-C ends a command without a word, with 130; a reader that left is no failure', async () => {
  for (const [reason, exit] of [
    [new Error('interrupted'), 130],
    [OUTPUT_CLOSED, 0],
  ] as const) {
    const stop = new AbortController();
    const running = run(['thing', 'show', '--wait'], { signal: stop.signal });
    setImmediate(() => stop.abort(reason));
    assert.deepEqual(await running, { code: exit, out: '', err: '' });
  }
});
