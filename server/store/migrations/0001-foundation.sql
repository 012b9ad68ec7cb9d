-- Decorum's tables. Words and invariant labels (M1, D3, T1 …) are those of the design.
--
-- Lock order, everywhere: tenant, site, address_slot, host, site_queue, origin_queue, request; by key within each.
-- No foreign key points at a gate row (site, address_slot): its key-share lock would hide the row from
-- `for no key update skip locked`.

create schema if not exists decorum;

-- The one clock (M4). STABLE, so that it can be an index condition; a statement's start is never later than the
-- moments it judges, which errs towards waiting longer. Tests replace this function in their own database.
create function decorum.now() returns timestamptz
  language sql stable parallel safe
  return statement_timestamp();

-- The tenant of the transaction; no row matches while it is unset (T1).
create function decorum.current_tenant() returns text
  language sql stable parallel safe
  return nullif(current_setting('decorum.tenant', true), '');

-- One row: which cell this database is, and how often it was restored (D6).
create table decorum.installation (
  singleton boolean primary key default true check (singleton),
  cell smallint not null default 0,
  generation integer not null default 1 check (generation > 0),
  policy_version bigint not null default 1,
  created_at timestamptz not null default decorum.now()
);
insert into decorum.installation default values;

create table decorum.purpose (
  code text primary key check (code ~ '^[A-Z][A-Z_]{1,31}$'),
  description text not null default '',
  robots_token text not null unique check (robots_token ~ '^[a-z_-]+$'),
  created_at timestamptz not null default decorum.now()
);
insert into decorum.purpose (code, description, robots_token) values
  ('SEARCH', 'Finding and ranking pages for people who search', 'decorumbot-search'),
  ('AI_TRAIN', 'Training models', 'decorumbot-ai-train'),
  ('AI_INPUT', 'Grounding and retrieval for models', 'decorumbot-ai-input'),
  ('ARCHIVE', 'Preservation', 'decorumbot-archive'),
  ('MONITORING', 'Watching pages for changes', 'decorumbot-monitoring'),
  ('TRUST_SAFETY', 'Finding abuse and fraud', 'decorumbot-trust-safety');

create table decorum.tenant (
  tenant_id text primary key check (tenant_id ~ '^[a-z][a-z0-9-]{1,31}$'),
  display_name text not null default '',
  purpose text not null references decorum.purpose,
  weight integer not null default 1 check (weight between 1 and 1000),
  band_max smallint not null default 7 check (band_max between 0 and 7),
  submits_per_second bigint,
  pending_requests bigint,
  pending_per_site bigint,
  fetches_per_day bigint,
  bytes_per_day bigint,
  concurrent_leases bigint,
  stored_gb bigint,
  result_backlog bigint,
  suspended_at timestamptz,
  suspended_reason text,
  request_id text unique,
  created_at timestamptz not null default decorum.now()
);

-- Credentials: "dk_<key_id>_<secret>"; only the secret's hash is kept.
create table decorum.api_key (
  key_id text primary key,
  role text not null check (role in ('tenant', 'fetcher', 'legal', 'finance', 'operator')),
  tenant_id text references decorum.tenant,
  secret_sha256 bytea not null check (length(secret_sha256) = 32),
  display_name text not null default '',
  created_at timestamptz not null default decorum.now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  check ((role = 'tenant') = (tenant_id is not null))
);

-- Manners: gates -----------------------------------------------------------------------------------------------------

-- A site's gate (M1): infinity while leased, else when the next request may start.
create table decorum.site (
  site text primary key,
  ready_at timestamptz not null default '-infinity',
  -- The present delay, and the pace it follows from (M6).
  delay_ms integer not null default 1000 check (delay_ms >= 0),
  crawl_delay_ms integer not null default 0 check (crawl_delay_ms >= 0),
  target_delay_ms double precision not null default 1000,
  backoff_ms double precision not null default 0,
  bad_streak integer not null default 0,
  good_streak integer not null default 0,
  parkings integer not null default 0,
  quiet_since timestamptz not null default decorum.now(),
  -- Where the gate opens at the earliest when the present lease ends.
  shut_until timestamptz not null default '-infinity',
  virtual_time double precision not null default 0,
  created_at timestamptz not null default decorum.now()
) with (fillfactor = 70);

-- A tenant's virtual time on a site (T3).
create table decorum.share (
  site text not null,
  tenant_id text not null,
  virtual_time double precision not null default 0,
  primary key (site, tenant_id)
) with (fillfactor = 70);

-- An address's health and spacing; its four gates are the slots (M2).
create table decorum.address (
  address text primary key,
  slot_spacing_ms integer not null default 1000 check (slot_spacing_ms >= 0),
  created_at timestamptz not null default decorum.now()
) with (fillfactor = 70);

create table decorum.address_slot (
  address text not null,
  slot smallint not null check (slot between 0 and 3),
  ready_at timestamptz not null default '-infinity',
  -- The host whose turn it is, and until when the slot is kept for it.
  reserved_host text,
  reserved_until timestamptz,
  primary key (address, slot)
) with (fillfactor = 70);

create table decorum.host (
  host text primary key,
  site text not null,
  -- What a worker dials; null while resolving.
  dial_address text,
  -- The key of its slots: IPv4 /32, IPv6 by its /64.
  address text,
  addresses text[] not null default '{}',
  expires_at timestamptz,
  -- When to ask the resolver; null when nobody waits for it.
  resolve_at timestamptz,
  failures smallint not null default 0,
  -- None of its URLs is leased before, and why: "slot" is kept for it from then on.
  blocked_until timestamptz,
  blocked_reason text,
  -- Waits for a slot of this address, since then, for the tenant by whose draw it was found.
  parked_on text,
  parked_tenant_id text,
  parked_at timestamptz,
  created_at timestamptz not null default decorum.now()
) with (fillfactor = 70);
create index host_resolve_at on decorum.host (resolve_at) where resolve_at is not null;
create index host_parked on decorum.host (parked_on, parked_tenant_id, parked_at) where parked_on is not null;

create table decorum.origin (
  origin text primary key,
  site text not null,
  host text not null,
  scheme text not null check (scheme in ('http', 'https')),
  port integer not null check (port between 1 and 65535),
  -- robots.txt over time (RFC 9309 §2.3.1, §2.4): the last answer (without version: the origin has none), how often
  -- asking failed since, and when to ask next; never asked while ask_at is null.
  robots_version text,
  robots_answered_at timestamptz,
  robots_failures integer not null default 0,
  robots_reason text,
  robots_ask_at timestamptz,
  crawl_delay_ms integer not null default 0 check (crawl_delay_ms >= 0),
  created_at timestamptz not null default decorum.now()
) with (fillfactor = 70);
create index origin_host on decorum.origin (host);
create index origin_site on decorum.origin (site);

-- Until when an origin's URLs wait for its robots.txt: it was asked, nothing usable is known, and it is not time to ask
-- again. Null: there is nothing to wait for. The age up to which an answer counts is ROBOTS_AGE_MS_MAX.
create function decorum.robots_wait(answered_at timestamptz, ask_at timestamptz) returns timestamptz
  language sql stable parallel safe
  return case when coalesce(answered_at < decorum.now() - interval '24 hours', true) then ask_at end;

-- robots.txt by content; an origin and a capture's provenance name the version.
create table decorum.robots_copy (
  version text primary key check (version ~ '^[0-9a-f]{64}$'),
  content bytea not null check (length(content) <= 512000),
  created_at timestamptz not null default decorum.now()
);

-- Frontier -----------------------------------------------------------------------------------------------------------

-- The ready heap: when a tenant's band of a site may next be leased.
create table decorum.site_queue (
  site text not null,
  tenant_id text not null,
  band smallint not null check (band between 0 and 7),
  ready_at timestamptz not null,
  primary key (site, tenant_id, band)
) with (fillfactor = 70);
create index site_queue_ready on decorum.site_queue (tenant_id, band, ready_at);

create table decorum.origin_queue (
  site text not null,
  origin text not null,
  tenant_id text not null,
  band smallint not null check (band between 0 and 7),
  next_due_at timestamptz not null,
  primary key (site, origin, tenant_id, band)
) with (fillfactor = 70);

-- Pending requests only: whatever ends one deletes it and writes its result in one transaction (D1).
create table decorum.request (
  request_id uuid primary key,
  tenant_id text not null,
  -- As asked for; the result carries it.
  asked_url text not null,
  -- As fetched next; differs after a redirect.
  url text not null,
  url_hash bytea not null check (length(url_hash) = 16),
  url_key bytea not null check (length(url_key) = 16),
  key_version smallint not null,
  site text not null,
  origin text not null,
  band smallint not null check (band between 0 and 7),
  reason text not null check (reason in ('DISCOVERY', 'RECRAWL', 'FEED', 'MONITOR')),
  tier text not null default '',
  label text not null default '',
  client_ref bytea,
  max_age interval,
  max_body_bytes bigint not null,
  extract text[] not null default '{}',
  due_at timestamptz not null,
  deadline timestamptz not null,
  attempts smallint not null default 0,
  last_outcome text,
  last_detail text,
  hop smallint not null default 0,
  redirects jsonb not null default '[]',
  led_from_capture_id uuid,
  submitted_at timestamptz not null,
  leased_at timestamptz
) with (fillfactor = 70);
-- Pending dedup; a redirect's hop may meet the tenant's own request, hence hop = 0.
create unique index request_pending on decorum.request (url_hash, tenant_id) where hop = 0;
-- Coalescing over tenants.
create index request_url_hash on decorum.request (url_hash);
create index request_due on decorum.request (origin, tenant_id, band, due_at);
create index request_deadline on decorum.request (deadline);
create index request_label on decorum.request (tenant_id, label);

create table decorum.lease (
  lease_id uuid primary key,
  worker_id text not null,
  site text not null,
  origin text not null,
  address text not null,
  slot smallint not null,
  -- Its items: the request that stands for each URL, and the URL, which outlives a cancelled request.
  request_ids uuid[] not null,
  urls text[] not null,
  -- Items whose attempt was taken: a repeated report changes nothing.
  reported_ids uuid[] not null default '{}',
  leased_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  ended_how text check (ended_how in ('completed', 'released', 'expired'))
) with (fillfactor = 70);
create index lease_running on decorum.lease (expires_at) where ended_at is null;
create index lease_ended on decorum.lease (ended_at) where ended_at is not null;

-- A redirect on its way to another queue: written by Complete, moved by a transaction of its own.
create table decorum.transfer (
  request_id uuid primary key,
  url text not null,
  created_at timestamptz not null default decorum.now()
);

-- A batch and what it was answered, as long as its results are kept.
create table decorum.submission (
  tenant_id text not null,
  request_id text not null,
  payload_sha256 bytea not null check (length(payload_sha256) = 32),
  outcomes bytea not null,
  submitted_at timestamptz not null,
  primary key (tenant_id, request_id)
);

-- Every URL a tenant has submitted, by identity; exact.
create table decorum.seen (
  tenant_id text not null,
  url_key bytea not null check (length(url_key) = 16),
  key_version smallint not null,
  seen_at timestamptz not null,
  primary key (tenant_id, url_key)
);

-- Archive ------------------------------------------------------------------------------------------------------------

create table decorum.segment (
  segment_id uuid primary key,
  residency text not null,
  worker_id text not null,
  state text not null check (state in ('open', 'closed')),
  bytes bigint,
  opened_at timestamptz not null,
  expires_at timestamptz not null,
  closed_at timestamptz
);
create index segment_open on decorum.segment (expires_at) where state = 'open';

create table decorum.capture (
  capture_id uuid primary key,
  segment_id uuid not null,
  url text not null,
  url_hash bytea not null check (length(url_hash) = 16),
  url_key bytea not null check (length(url_key) = 16),
  key_version smallint not null,
  site text not null,
  fetched_at timestamptz not null,
  status_code smallint not null,
  headers jsonb not null,
  content_type text not null default '',
  payload_sha256 bytea check (length(payload_sha256) = 32),
  payload_sha1 text not null default '',
  body_bytes bigint not null,
  truncation text check (truncation in ('LENGTH', 'TIME', 'DISCONNECT')),
  close_delimited boolean not null default false,
  revisit_of_capture_id uuid,
  residency text not null,
  address text not null,
  robots_version text,
  robots_line text not null default '',
  policy_version bigint not null,
  signals jsonb not null default '[]',
  user_agent text not null,
  led_from_capture_id uuid
);
create index capture_url_hash on decorum.capture (url_hash, fetched_at desc);

-- The youngest capture that can answer for a URL (max_age), whoever asked for it; the one read that a tenant's
-- transaction makes over other tenants' rows. Redirects and server errors answer nothing.
create function decorum.fresh_capture(hash bytea, age interval)
  returns table (capture_id uuid, fetched_at timestamptz, status_code smallint, body_bytes bigint, signals jsonb)
  language sql stable security definer set search_path = decorum
begin atomic
  select c.capture_id, c.fetched_at, c.status_code, c.body_bytes, c.signals
  from decorum.capture c
  where c.url_hash = hash and c.fetched_at >= decorum.now() - age
    and (c.status_code between 200 and 299 or c.status_code in (304, 404, 410))
  order by c.fetched_at desc limit 1;
end;

-- Where a capture's bytes are: each member of a segment has its row, each row its member.
create table decorum.capture_record (
  segment_id uuid not null,
  record_offset bigint not null,
  record_length bigint not null check (record_length > 0),
  record_type text not null check (record_type in ('request', 'response', 'revisit', 'metadata')),
  capture_id uuid not null,
  primary key (segment_id, record_offset)
);
create index capture_record_capture on decorum.capture_record (capture_id);

-- The captures that a tenant's own results named, and no others (T1).
create table decorum.holder (
  tenant_id text not null,
  capture_id uuid not null,
  primary key (tenant_id, capture_id)
);

-- Results ------------------------------------------------------------------------------------------------------------

create table decorum.result (
  result_id bigint generated always as identity primary key,
  request_id uuid not null unique,
  tenant_id text not null,
  lane text not null check (lane in ('urgent', 'bulk')),
  cell smallint not null,
  generation integer not null,
  -- Given by the publisher to committed rows; without gaps.
  number bigint,
  kind text not null,
  outcome text,
  detail text not null default '',
  url text not null,
  final_url text not null,
  redirects jsonb not null default '[]',
  attempts smallint not null,
  capture_id uuid,
  document jsonb,
  coalesced boolean not null default false,
  reason text not null,
  band smallint not null,
  tier text not null,
  label text not null,
  client_ref bytea,
  takedown_id uuid,
  submitted_at timestamptz not null,
  leased_at timestamptz,
  fetched_at timestamptz,
  completed_at timestamptz not null,
  published_at timestamptz,
  response_ms integer,
  total_ms integer
);
create unique index result_number on decorum.result (tenant_id, lane, cell, generation, number) where number is not null;
create index result_unnumbered on decorum.result (lane, tenant_id, cell, generation, result_id) where number is null;

-- How far a stream is: the publisher's row, its lease while it publishes a batch, and when the stream was last compared
-- with the record.
create table decorum.result_stream (
  tenant_id text not null,
  lane text not null check (lane in ('urgent', 'bulk')),
  cell smallint not null,
  generation integer not null,
  numbered_through bigint not null default 0,
  published_through bigint not null default 0,
  publisher text,
  publisher_expires_at timestamptz,
  compared_at timestamptz not null default '-infinity',
  primary key (tenant_id, lane, cell, generation)
) with (fillfactor = 70);

create table decorum.result_group (
  tenant_id text not null,
  group_name text not null,
  lane text not null check (lane in ('urgent', 'bulk')),
  cell smallint not null,
  generation integer not null,
  -- What the group has acknowledged without a gap, as last seen; where it goes on when its consumer is lost.
  acknowledged_through bigint not null default 0,
  created_at timestamptz not null default decorum.now(),
  primary key (tenant_id, group_name, lane, cell, generation)
);

-- Money --------------------------------------------------------------------------------------------------------------

-- Written with the result, never changed (T2). quantity is share_numerator / share_denominator of a unit.
create table decorum.charge_line (
  month date not null check (extract(day from month) = 1),
  request_id uuid not null,
  attempt smallint not null,
  meter text not null,
  tenant_id text not null,
  quantity bigint not null,
  share_of integer not null default 1 check (share_of > 0),
  amount_nanos bigint not null,
  price_book_version integer not null,
  capture_id uuid,
  completed_at timestamptz not null,
  primary key (month, request_id, attempt, meter)
);

-- Jobs ---------------------------------------------------------------------------------------------------------------

create table decorum.job (
  name text primary key,
  period_ms integer not null,
  if_two_run text not null,
  last_started_at timestamptz,
  last_ended_at timestamptz,
  last_error text
);

-- Who may do what ----------------------------------------------------------------------------------------------------
-- decorum_platform: the server's own work. decorum_tenant: a transaction on behalf of one tenant; row-level security
-- shows it that tenant's rows only. Neither owns a table.

do $$
begin
  -- Roles belong to the whole cluster: several databases may be migrated at once.
  perform pg_advisory_xact_lock(hashtext('decorum.roles'));
  if not exists (select from pg_roles where rolname = 'decorum_platform') then
    create role decorum_platform nologin;
  end if;
  if not exists (select from pg_roles where rolname = 'decorum_tenant') then
    create role decorum_tenant nologin;
  end if;
exception when duplicate_object or unique_violation then null;
end
$$;
grant decorum_platform, decorum_tenant to current_user;

grant usage on schema decorum to decorum_platform, decorum_tenant;
grant select, insert, update, delete on all tables in schema decorum to decorum_platform;
revoke update, delete on decorum.charge_line from decorum_platform;
revoke insert, update, delete on decorum.purpose, decorum.installation from decorum_platform;
grant insert on decorum.purpose to decorum_platform;

grant select on decorum.installation, decorum.purpose, decorum.site, decorum.host, decorum.origin,
  decorum.address, decorum.address_slot, decorum.robots_copy, decorum.share to decorum_tenant;
grant insert on decorum.site, decorum.host, decorum.origin to decorum_tenant;
grant update (resolve_at) on decorum.host to decorum_tenant;
grant select on decorum.tenant, decorum.capture, decorum.capture_record, decorum.holder, decorum.result,
  decorum.result_stream, decorum.result_group, decorum.charge_line to decorum_tenant;
grant select, insert, update, delete on decorum.request, decorum.site_queue, decorum.origin_queue, decorum.submission,
  decorum.seen to decorum_tenant;
grant insert on decorum.holder, decorum.result, decorum.charge_line to decorum_tenant;
grant insert, delete on decorum.result_group to decorum_tenant;

do $$
declare
  name text;
begin
  foreach name in array array['tenant', 'site_queue', 'origin_queue', 'request', 'submission', 'seen', 'holder',
    'result', 'result_stream', 'result_group', 'charge_line', 'share'] loop
    execute format('alter table decorum.%I enable row level security', name);
    execute format('create policy platform on decorum.%I to decorum_platform using (true) with check (true)', name);
    execute format('create policy own on decorum.%I to decorum_tenant using (tenant_id = decorum.current_tenant()) '
      'with check (tenant_id = decorum.current_tenant())', name);
  end loop;
  -- A capture belongs to nobody; a tenant sees those it holds.
  foreach name in array array['capture', 'capture_record'] loop
    execute format('alter table decorum.%I enable row level security', name);
    execute format('create policy platform on decorum.%I to decorum_platform using (true) with check (true)', name);
    execute format('create policy held on decorum.%I to decorum_tenant using (exists (select from decorum.holder h '
      'where h.capture_id = %I.capture_id and h.tenant_id = decorum.current_tenant()))', name, name);
  end loop;
end
$$;

-- Hot tables: dead rows are cleaned in small, frequent bites.
do $$
declare
  name text;
begin
  foreach name in array array['site', 'share', 'address_slot', 'host', 'origin', 'site_queue', 'origin_queue',
    'request', 'lease', 'result_stream'] loop
    execute format('alter table decorum.%I set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, '
      'autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.05)', name);
  end loop;
end
$$;
