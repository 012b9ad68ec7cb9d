-- What failures leave in the archive, and what was done about it.

-- orphans_checked_at: closed, every lease that could name a member has ended, and members that no row names were erased.
-- upkeep_failed_at: a takeover or an erasure found the file other than the rows say; a person looks at it.
alter table decorum.segment
  add column orphans_checked_at timestamptz,
  add column upkeep_failed_at timestamptz;
create index segment_unchecked on decorum.segment (closed_at) where state = 'closed' and orphans_checked_at is null;

-- A member that is overwritten by a tombstone: committed before the first byte is written, so that what a crash leaves half
-- done is done again, with the same bytes. The tombstone bears record_id and created_at; the row is kept as long as the
-- segment is.
create table decorum.erasure (
  segment_id uuid not null,
  record_offset bigint not null check (record_offset > 0),
  record_length bigint not null check (record_length >= 223),
  reason text not null check (reason in ('orphan')),
  record_id uuid not null unique default gen_random_uuid(),
  created_at timestamptz not null default decorum.now(),
  done_at timestamptz,
  primary key (segment_id, record_offset)
);
create index erasure_pending on decorum.erasure (segment_id) where done_at is null;

grant select, insert, update on decorum.erasure to decorum_platform;
