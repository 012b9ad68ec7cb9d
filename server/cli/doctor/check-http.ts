import type { Config } from '../../config/config.ts';
import { formatListenAddress } from '../../config/parse-listen-address.ts';
import type { Finding } from './finding.ts';
import { fail, ok, warn } from './finding.ts';

const TIMEOUT_MS = 3_000;
/** An HTTP date has whole seconds, and the answer takes its time. */
const CLOCK_MS_MAX = 3_000;

/** What the HTTP address of this machine's platform says of itself, and its clock against ours. */
export async function checkHttp({ httpAddress }: Pick<Config, 'httpAddress'>): Promise<Finding[]> {
  const host =
    httpAddress.host === '0.0.0.0' ? '127.0.0.1' : httpAddress.host === '::' ? '::1' : httpAddress.host;
  const url = `http://${formatListenAddress({ ...httpAddress, host })}/readyz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = (await response.text()).slice(0, 2_000);
    return [checkReadiness(response.status, text), checkClock(response.headers.get('date'))];
  } catch {
    return [
      warn(
        'readiness',
        `${url} does not answer`,
        'Start the platform with npm start, or run doctor where it runs.',
      ),
    ];
  }
}

function checkReadiness(status: number, text: string): Finding {
  const parts = parseParts(text);
  if (parts === undefined)
    return fail(
      'readiness',
      `something else than Decorum answers (HTTP ${status})`,
      'Free the port, or set DECORUM_HTTP_ADDRESS.',
    );
  const missing = Object.entries(parts).filter(([, state]) => state !== 'ok');
  if (status === 200) return ok('readiness', `ready${listParts(Object.entries(parts))}`);
  return fail(
    'readiness',
    `not ready${listParts(missing)}`,
    'Repair what is named; the platform goes on by itself then.',
  );
}

function listParts(parts: readonly (readonly [string, string])[]): string {
  return parts.length === 0 ? '' : `: ${parts.map(([part, state]) => `${part} ${state}`).join(', ')}`;
}

function parseParts(text: string): Readonly<Record<string, string>> | undefined {
  try {
    const state = JSON.parse(text) as { readonly parts?: Readonly<Record<string, string>> } | null;
    return state?.parts;
  } catch {
    return undefined;
  }
}

function checkClock(date: string | null): Finding {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs))
    return warn('clock', 'could not be compared', 'Check that time is synchronised (timedatectl).');
  const offMs = Math.abs(Date.now() - theirs);
  if (offMs <= CLOCK_MS_MAX) return ok('clock', 'agrees with the platform to a few seconds');
  return fail(
    'clock',
    `is ${(offMs / 1_000).toFixed(0)} s off the platform's`,
    'Synchronise both (chrony or systemd-timesyncd), without steps.',
  );
}
