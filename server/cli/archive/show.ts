import { defineCommand } from '@decorum/sdk/cli/command-module.ts';
import { EXIT } from '@decorum/sdk/cli/exit-code.ts';
import { DecorumError } from '@decorum/sdk/client/decorum-error.ts';
import type { ScannedMember } from '../../archive/scan-segment.ts';
import { loadCaptureRecords } from '../../store/load-capture-records.ts';
import { transact } from '../../store/transact.ts';
import { parseLocation } from './parse-location.ts';
import { withStores, type Stores } from './with-stores.ts';

type Place = { readonly segmentId: string; readonly offset: number };

/** `decorum archive show`: exits 1 when a member is damaged, 6 when there is none. */
export const archiveShow = defineCommand<object>({
  name: 'archive show',
  summary: 'read the records of a capture, or of one member, and show their headers',
  configure: (command) => command.argument('<capture-id|segment-id:offset>', 'what to show'),
  run: (context, { args: [text = ''] }) =>
    withStores(async (stores) => {
      let isSound = true;
      for (const [index, place] of (await locate(stores, text)).entries()) {
        const member = await readPlace(stores, place);
        const { segmentId } = place;
        if (member.state !== 'whole') isSound = false;
        if (index > 0 && !context.json) context.stdout.write('\n');
        await context.printFields({ segmentId, ...member }, toFields(segmentId, member));
      }
      return isSound ? EXIT.ok : EXIT.failed;
    }),
});

async function locate({ pool }: Stores, text: string): Promise<Place[]> {
  const location = parseLocation(text);
  if ('segmentId' in location) return [location];
  const records = await transact(pool, (sql) => loadCaptureRecords(sql, [location.captureId]));
  if (records.length === 0) throw notFound(`No capture ${text} is stored.`);
  return records.map(({ segmentId, offset }) => ({ segmentId, offset: Number(offset) }));
}

async function readPlace({ archive }: Stores, { segmentId, offset }: Place): Promise<ScannedMember> {
  try {
    for await (const member of archive.scanSegment(segmentId, offset)) return member;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing) throw error;
    throw notFound(`The file of segment ${segmentId} is missing.`);
  }
  throw notFound(`Segment ${segmentId} ends before ${offset}.`);
}

/** What people read: where the member is, its state, and the fields of its record. */
function toFields(segmentId: string, member: ScannedMember): Record<string, string | number> {
  const place = { segment: segmentId, offset: member.offset };
  if (member.state === 'unreadable') return { ...place, state: member.state, damage: member.detail };
  return {
    ...place,
    length: member.length,
    state: member.state,
    ...(member.state === 'damaged' && { damage: member.detail }),
    ...Object.fromEntries(member.header?.fields ?? []),
  };
}

function notFound(message: string): DecorumError {
  return new DecorumError({ code: 'not_found', reason: 'NOT_STORED', message });
}
