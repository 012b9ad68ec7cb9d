-- Made from the migrations by "npm run generate"; never edited.

table decorum.address with (fillfactor=70)
  address text not null
  slot_spacing_ms integer not null default 1000
  created_at timestamp with time zone not null default decorum.now()
  constraint address_pkey PRIMARY KEY (address)
  constraint address_slot_spacing_ms_check CHECK ((slot_spacing_ms >= 0))
  grant delete, insert, select, update to decorum_platform
  grant select to decorum_tenant

table decorum.address_slot with (fillfactor=70, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_scale_factor=0.05)
  address text not null
  slot smallint not null
  ready_at timestamp with time zone not null default '-infinity'::timestamp with time zone
  reserved_host text
  reserved_until timestamp with time zone
  constraint address_slot_pkey PRIMARY KEY (address, slot)
  constraint address_slot_slot_check CHECK (((slot >= 0) AND (slot <= 3)))
  grant delete, insert, select, update to decorum_platform
  grant select to decorum_tenant

table decorum.api_key
  key_id text not null
  role text not null
  tenant_id text
  secret_sha256 bytea not null
  display_name text not null default ''::text
  created_at timestamp with time zone not null default decorum.now()
  expires_at timestamp with time zone
  revoked_at timestamp with time zone
  constraint api_key_check CHECK (((role = 'tenant'::text) = (tenant_id IS NOT NULL)))
  constraint api_key_pkey PRIMARY KEY (key_id)
  constraint api_key_role_check CHECK ((role = ANY (ARRAY['tenant'::text, 'fetcher'::text, 'legal'::text, 'finance'::text, 'operator'::text])))
  constraint api_key_secret_sha256_check CHECK ((length(secret_sha256) = 32))
  constraint api_key_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id)
  grant delete, insert, select, update to decorum_platform

table decorum.capture
  capture_id uuid not null
  segment_id uuid not null
  url text not null
  url_hash bytea not null
  url_key bytea not null
  key_version smallint not null
  site text not null
  fetched_at timestamp with time zone not null
  status_code smallint not null
  headers jsonb not null
  content_type text not null default ''::text
  payload_sha256 bytea
  payload_sha1 text not null default ''::text
  body_bytes bigint not null
  truncation text
  close_delimited boolean not null default false
  revisit_of_capture_id uuid
  residency text not null
  address text not null
  robots_version text
  robots_line text not null default ''::text
  policy_version bigint not null
  signals jsonb not null default '[]'::jsonb
  user_agent text not null
  led_from_capture_id uuid
  constraint capture_payload_sha256_check CHECK ((length(payload_sha256) = 32))
  constraint capture_pkey PRIMARY KEY (capture_id)
  constraint capture_truncation_check CHECK ((truncation = ANY (ARRAY['LENGTH'::text, 'TIME'::text, 'DISCONNECT'::text])))
  constraint capture_url_hash_check CHECK ((length(url_hash) = 16))
  constraint capture_url_key_check CHECK ((length(url_key) = 16))
  CREATE INDEX capture_url_hash ON decorum.capture USING btree (url_hash, fetched_at DESC)
  row-level security
  policy held to decorum_tenant using ((EXISTS ( SELECT
   FROM holder h
  WHERE ((h.capture_id = capture.capture_id) AND (h.tenant_id = current_tenant()))))) with check ()
  policy platform to decorum_platform using (true) with check (true)
  grant delete, insert, select, update to decorum_platform
  grant select to decorum_tenant

table decorum.capture_record
  segment_id uuid not null
  record_offset bigint not null
  record_length bigint not null
  record_type text not null
  capture_id uuid not null
  constraint capture_record_pkey PRIMARY KEY (segment_id, record_offset)
  constraint capture_record_record_length_check CHECK ((record_length > 0))
  constraint capture_record_record_type_check CHECK ((record_type = ANY (ARRAY['request'::text, 'response'::text, 'revisit'::text, 'metadata'::text])))
  CREATE INDEX capture_record_capture ON decorum.capture_record USING btree (capture_id)
  row-level security
  policy held to decorum_tenant using ((EXISTS ( SELECT
   FROM holder h
  WHERE ((h.capture_id = capture_record.capture_id) AND (h.tenant_id = current_tenant()))))) with check ()
  policy platform to decorum_platform using (true) with check (true)
  grant delete, insert, select, update to decorum_platform
  grant select to decorum_tenant

table decorum.charge_line
  month date not null
  request_id uuid not null
  attempt smallint not null
  meter text not null
  tenant_id text not null
  quantity bigint not null
  share_of integer not null default 1
  amount_nanos bigint not null
  price_book_version integer not null
  capture_id uuid
  completed_at timestamp with time zone not null
  constraint charge_line_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric))
  constraint charge_line_pkey PRIMARY KEY (month, request_id, attempt, meter)
  constraint charge_line_share_of_check CHECK ((share_of > 0))
  row-level security
  policy own to decorum_tenant using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()))
  policy platform to decorum_platform using (true) with check (true)
  grant insert, select to decorum_platform
  grant insert, select to decorum_tenant

table decorum.erasure
  segment_id uuid not null
  record_offset bigint not null
  record_length bigint not null
  reason text not null
  record_id uuid not null default gen_random_uuid()
  created_at timestamp with time zone not null default decorum.now()
  done_at timestamp with time zone
  constraint erasure_pkey PRIMARY KEY (segment_id, record_offset)
  constraint erasure_reason_check CHECK ((reason = 'orphan'::text))
  constraint erasure_record_id_key UNIQUE (record_id)
  constraint erasure_record_length_check CHECK ((record_length >= 223))
  constraint erasure_record_offset_check CHECK ((record_offset > 0))
  CREATE INDEX erasure_pending ON decorum.erasure USING btree (segment_id) WHERE (done_at IS NULL)
  grant insert, select, update to decorum_platform

table decorum.holder
  tenant_id text not null
  capture_id uuid not null
  constraint holder_pkey PRIMARY KEY (tenant_id, capture_id)
  row-level security
  policy own to decorum_tenant using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()))
  policy platform to decorum_platform using (true) with check (true)
  grant delete, insert, select, update to decorum_platform
  grant insert, select to decorum_tenant

table decorum.host with (fillfactor=70, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_scale_factor=0.05)
  host text not null
  site text not null
  dial_address text
  address text
  addresses text[] not null default '{}'::text[]
  expires_at timestamp with time zone
  resolve_at timestamp with time zone
  failures smallint not null default 0
  blocked_until timestamp with time zone
  blocked_reason text
  parked_on text
  parked_tenant_id text
  parked_at timestamp with time zone
  created_at timestamp with time zone not null default decorum.now()
  constraint host_pkey PRIMARY KEY (host)
  CREATE INDEX host_parked ON decorum.host USING btree (parked_on, parked_tenant_id, parked_at) WHERE (parked_on IS NOT NULL)
  CREATE INDEX host_resolve_at ON decorum.host USING btree (resolve_at) WHERE (resolve_at IS NOT NULL)
  grant delete, insert, select, update to decorum_platform
  grant insert, select to decorum_tenant
  grant update (resolve_at) to decorum_tenant

table decorum.installation
  singleton boolean not null default true
  cell smallint not null default 0
  generation integer not null default 1
  policy_version bigint not null default 1
  created_at timestamp with time zone not null default decorum.now()
  constraint installation_generation_check CHECK ((generation > 0))
  constraint installation_pkey PRIMARY KEY (singleton)
  constraint installation_singleton_check CHECK (singleton)
  grant select to decorum_platform
  grant select to decorum_tenant

table decorum.job
  name text not null
  period_ms integer not null
  if_two_run text not null
  last_started_at timestamp with time zone
  last_ended_at timestamp with time zone
  last_error text
  constraint job_pkey PRIMARY KEY (name)
  grant delete, insert, select, update to decorum_platform

table decorum.lease with (fillfactor=70, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_scale_factor=0.05)
  lease_id uuid not null
  worker_id text not null
  site text not null
  origin text not null
  address text not null
  slot smallint not null
  request_ids uuid[] not null
  urls text[] not null
  reported_ids uuid[] not null default '{}'::uuid[]
  leased_at timestamp with time zone not null
  expires_at timestamp with time zone not null
  ended_at timestamp with time zone
  ended_how text
  constraint lease_ended_how_check CHECK ((ended_how = ANY (ARRAY['completed'::text, 'released'::text, 'expired'::text])))
  constraint lease_pkey PRIMARY KEY (lease_id)
  CREATE INDEX lease_ended ON decorum.lease USING btree (ended_at) WHERE (ended_at IS NOT NULL)
  CREATE INDEX lease_running ON decorum.lease USING btree (expires_at) WHERE (ended_at IS NULL)
  grant delete, insert, select, update to decorum_platform

table decorum.migration
  version integer not null
  name text not null
  sha256 text not null
  applied_at timestamp with time zone not null default now()
  constraint migration_pkey PRIMARY KEY (version)
  grant delete, insert, select, update to decorum_platform

table decorum.origin with (fillfactor=70, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_scale_factor=0.05)
  origin text not null
  site text not null
  host text not null
  scheme text not null
  port integer not null
  robots_version text
  robots_answered_at timestamp with time zone
  robots_failures integer not null default 0
  robots_reason text
  robots_ask_at timestamp with time zone
  crawl_delay_ms integer not null default 0
  created_at timestamp with time zone not null default decorum.now()
  constraint origin_crawl_delay_ms_check CHECK ((crawl_delay_ms >= 0))
  constraint origin_pkey PRIMARY KEY (origin)
  constraint origin_port_check CHECK (((port >= 1) AND (port <= 65535)))
  constraint origin_scheme_check CHECK ((scheme = ANY (ARRAY['http'::text, 'https'::text])))
  CREATE INDEX origin_host ON decorum.origin USING btree (host)
  CREATE INDEX origin_site ON decorum.origin USING btree (site)
  grant delete, insert, select, update to decorum_platform
  grant insert, select to decorum_tenant

table decorum.origin_queue with (fillfactor=70, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_scale_factor=0.05)
  site text not null
  origin text not null
  tenant_id text not null
  band smallint not null
  next_due_at timestamp with time zone not null
  constraint origin_queue_band_check CHECK (((band >= 0) AND (band <= 7)))
  constraint origin_queue_pkey PRIMARY KEY (site, origin, tenant_id, band)
  row-level security
  policy own to decorum_tenant using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()))
  policy platform to decorum_platform using (true) with check (true)
  grant delete, insert, select, update to decorum_platform
  grant delete, insert, select, update to decorum_tenant

table decorum.purpose
  code text not null
  description text not null default ''::text
  robots_token text not null
  created_at timestamp with time zone not null default decorum.now()
  constraint purpose_code_check CHECK ((code ~ '^[A-Z][A-Z_]{1,31}$'::text))
  constraint purpose_pkey PRIMARY KEY (code)
  constraint purpose_robots_token_check CHECK ((robots_token ~ '^[a-z_-]+$'::text))
  constraint purpose_robots_token_key UNIQUE (robots_token)
  grant insert, select to decorum_platform
  grant select to decorum_tenant

table decorum.request with (fillfactor=70, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_scale_factor=0.05)
  request_id uuid not null
  tenant_id text not null
  asked_url text not null
  url text not null
  url_hash bytea not null
  url_key bytea not null
  key_version smallint not null
  site text not null
  origin text not null
  band smallint not null
  reason text not null
  tier text not null default ''::text
  label text not null default ''::text
  client_ref bytea
  max_age interval
  max_body_bytes bigint not null
  extract text[] not null default '{}'::text[]
  due_at timestamp with time zone not null
  deadline timestamp with time zone not null
  attempts smallint not null default 0
  last_outcome text
  last_detail text
  hop smallint not null default 0
  redirects jsonb not null default '[]'::jsonb
  led_from_capture_id uuid
  submitted_at timestamp with time zone not null
  leased_at timestamp with time zone
  constraint request_band_check CHECK (((band >= 0) AND (band <= 7)))
  constraint request_pkey PRIMARY KEY (request_id)
  constraint request_reason_check CHECK ((reason = ANY (ARRAY['DISCOVERY'::text, 'RECRAWL'::text, 'FEED'::text, 'MONITOR'::text])))
  constraint request_url_hash_check CHECK ((length(url_hash) = 16))
  constraint request_url_key_check CHECK ((length(url_key) = 16))
  CREATE INDEX request_deadline ON decorum.request USING btree (deadline)
  CREATE INDEX request_due ON decorum.request USING btree (origin, tenant_id, band, due_at)
  CREATE INDEX request_label ON decorum.request USING btree (tenant_id, label)
  CREATE UNIQUE INDEX request_pending ON decorum.request USING btree (url_hash, tenant_id) WHERE (hop = 0)
  CREATE INDEX request_url_hash ON decorum.request USING btree (url_hash)
  row-level security
  policy own to decorum_tenant using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()))
  policy platform to decorum_platform using (true) with check (true)
  grant delete, insert, select, update to decorum_platform
  grant delete, insert, select, update to decorum_tenant

table decorum.result
  result_id bigint not null generated always as identity
  request_id uuid not null
  tenant_id text not null
  lane text not null
  cell smallint not null
  generation integer not null
  number bigint
  kind text not null
  outcome text
  detail text not null default ''::text
  url text not null
  final_url text not null
  redirects jsonb not null default '[]'::jsonb
  attempts smallint not null
  capture_id uuid
  document jsonb
  coalesced boolean not null default false
  reason text not null
  band smallint not null
  tier text not null
  label text not null
  client_ref bytea
  takedown_id uuid
  submitted_at timestamp with time zone not null
  leased_at timestamp with time zone
  fetched_at timestamp with time zone
  completed_at timestamp with time zone not null
  published_at timestamp with time zone
  response_ms integer
  total_ms integer
  constraint result_lane_check CHECK ((lane = ANY (ARRAY['urgent'::text, 'bulk'::text])))
  constraint result_pkey PRIMARY KEY (result_id)
  constraint result_request_id_key UNIQUE (request_id)
  CREATE UNIQUE INDEX result_number ON decorum.result USING btree (tenant_id, lane, cell, generation, number) WHERE (number IS NOT NULL)
  CREATE INDEX result_unnumbered ON decorum.result USING btree (lane, tenant_id, cell, generation, result_id) WHERE (number IS NULL)
  row-level security
  policy own to decorum_tenant using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()))
  policy platform to decorum_platform using (true) with check (true)
  grant delete, insert, select, update to decorum_platform
  grant insert, select to decorum_tenant

table decorum.result_group
  tenant_id text not null
  group_name text not null
  lane text not null
  cell smallint not null
  generation integer not null
  acknowledged_through bigint not null default 0
  created_at timestamp with time zone not null default decorum.now()
  constraint result_group_lane_check CHECK ((lane = ANY (ARRAY['urgent'::text, 'bulk'::text])))
  constraint result_group_pkey PRIMARY KEY (tenant_id, group_name, lane, cell, generation)
  row-level security
  policy own to decorum_tenant using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()))
  policy platform to decorum_platform using (true) with check (true)
  grant delete, insert, select, update to decorum_platform
  grant delete, insert, select to decorum_tenant

table decorum.result_stream with (fillfactor=70, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_scale_factor=0.05)
  tenant_id text not null
  lane text not null
  cell smallint not null
  generation integer not null
  numbered_through bigint not null default 0
  published_through bigint not null default 0
  publisher text
  publisher_expires_at timestamp with time zone
  compared_at timestamp with time zone not null default '-infinity'::timestamp with time zone
  constraint result_stream_lane_check CHECK ((lane = ANY (ARRAY['urgent'::text, 'bulk'::text])))
  constraint result_stream_pkey PRIMARY KEY (tenant_id, lane, cell, generation)
  row-level security
  policy own to decorum_tenant using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()))
  policy platform to decorum_platform using (true) with check (true)
  grant delete, insert, select, update to decorum_platform
  grant select to decorum_tenant

table decorum.robots_copy
  version text not null
  content bytea not null
  created_at timestamp with time zone not null default decorum.now()
  constraint robots_copy_content_check CHECK ((length(content) <= 512000))
  constraint robots_copy_pkey PRIMARY KEY (version)
  constraint robots_copy_version_check CHECK ((version ~ '^[0-9a-f]{64}$'::text))
  grant delete, insert, select, update to decorum_platform
  grant select to decorum_tenant

table decorum.seen
  tenant_id text not null
  url_key bytea not null
  key_version smallint not null
  seen_at timestamp with time zone not null
  constraint seen_pkey PRIMARY KEY (tenant_id, url_key)
  constraint seen_url_key_check CHECK ((length(url_key) = 16))
  row-level security
  policy own to decorum_tenant using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()))
  policy platform to decorum_platform using (true) with check (true)
  grant delete, insert, select, update to decorum_platform
  grant delete, insert, select, update to decorum_tenant

table decorum.segment
  segment_id uuid not null
  residency text not null
  worker_id text not null
  state text not null
  bytes bigint
  opened_at timestamp with time zone not null
  expires_at timestamp with time zone not null
  closed_at timestamp with time zone
  orphans_checked_at timestamp with time zone
  upkeep_failed_at timestamp with time zone
  constraint segment_pkey PRIMARY KEY (segment_id)
  constraint segment_state_check CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text])))
  CREATE INDEX segment_open ON decorum.segment USING btree (expires_at) WHERE (state = 'open'::text)
  CREATE INDEX segment_unchecked ON decorum.segment USING btree (closed_at) WHERE ((state = 'closed'::text) AND (orphans_checked_at IS NULL))
  grant delete, insert, select, update to decorum_platform

table decorum.share with (fillfactor=70, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_scale_factor=0.05)
  site text not null
  tenant_id text not null
  virtual_time double precision not null default 0
  constraint share_pkey PRIMARY KEY (site, tenant_id)
  row-level security
  policy own to decorum_tenant using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()))
  policy platform to decorum_platform using (true) with check (true)
  grant delete, insert, select, update to decorum_platform
  grant select to decorum_tenant

table decorum.site with (fillfactor=70, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_scale_factor=0.05)
  site text not null
  ready_at timestamp with time zone not null default '-infinity'::timestamp with time zone
  delay_ms integer not null default 1000
  crawl_delay_ms integer not null default 0
  target_delay_ms double precision not null default 1000
  backoff_ms double precision not null default 0
  bad_streak integer not null default 0
  good_streak integer not null default 0
  parkings integer not null default 0
  quiet_since timestamp with time zone not null default decorum.now()
  shut_until timestamp with time zone not null default '-infinity'::timestamp with time zone
  virtual_time double precision not null default 0
  created_at timestamp with time zone not null default decorum.now()
  constraint site_crawl_delay_ms_check CHECK ((crawl_delay_ms >= 0))
  constraint site_delay_ms_check CHECK ((delay_ms >= 0))
  constraint site_pkey PRIMARY KEY (site)
  grant delete, insert, select, update to decorum_platform
  grant insert, select to decorum_tenant

table decorum.site_queue with (fillfactor=70, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_cost_delay=0, autovacuum_analyze_scale_factor=0.05)
  site text not null
  tenant_id text not null
  band smallint not null
  ready_at timestamp with time zone not null
  constraint site_queue_band_check CHECK (((band >= 0) AND (band <= 7)))
  constraint site_queue_pkey PRIMARY KEY (site, tenant_id, band)
  CREATE INDEX site_queue_ready ON decorum.site_queue USING btree (tenant_id, band, ready_at)
  row-level security
  policy own to decorum_tenant using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()))
  policy platform to decorum_platform using (true) with check (true)
  grant delete, insert, select, update to decorum_platform
  grant delete, insert, select, update to decorum_tenant

table decorum.submission
  tenant_id text not null
  request_id text not null
  payload_sha256 bytea not null
  outcomes bytea not null
  submitted_at timestamp with time zone not null
  constraint submission_payload_sha256_check CHECK ((length(payload_sha256) = 32))
  constraint submission_pkey PRIMARY KEY (tenant_id, request_id)
  row-level security
  policy own to decorum_tenant using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()))
  policy platform to decorum_platform using (true) with check (true)
  grant delete, insert, select, update to decorum_platform
  grant delete, insert, select, update to decorum_tenant

table decorum.tenant
  tenant_id text not null
  display_name text not null default ''::text
  purpose text not null
  weight integer not null default 1
  band_max smallint not null default 7
  submits_per_second bigint
  pending_requests bigint
  pending_per_site bigint
  fetches_per_day bigint
  bytes_per_day bigint
  concurrent_leases bigint
  stored_gb bigint
  result_backlog bigint
  suspended_at timestamp with time zone
  suspended_reason text
  request_id text
  created_at timestamp with time zone not null default decorum.now()
  constraint tenant_band_max_check CHECK (((band_max >= 0) AND (band_max <= 7)))
  constraint tenant_pkey PRIMARY KEY (tenant_id)
  constraint tenant_purpose_fkey FOREIGN KEY (purpose) REFERENCES purpose(code)
  constraint tenant_request_id_key UNIQUE (request_id)
  constraint tenant_tenant_id_check CHECK ((tenant_id ~ '^[a-z][a-z0-9-]{1,31}$'::text))
  constraint tenant_weight_check CHECK (((weight >= 1) AND (weight <= 1000)))
  row-level security
  policy own to decorum_tenant using ((tenant_id = current_tenant())) with check ((tenant_id = current_tenant()))
  policy platform to decorum_platform using (true) with check (true)
  grant delete, insert, select, update to decorum_platform
  grant select to decorum_tenant

table decorum.transfer
  request_id uuid not null
  url text not null
  created_at timestamp with time zone not null default decorum.now()
  constraint transfer_pkey PRIMARY KEY (request_id)
  grant delete, insert, select, update to decorum_platform

CREATE OR REPLACE FUNCTION decorum.current_tenant()
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN NULLIF(current_setting('decorum.tenant'::text, true), ''::text)

CREATE OR REPLACE FUNCTION decorum.fresh_capture(hash bytea, age interval)
 RETURNS TABLE(capture_id uuid, fetched_at timestamp with time zone, status_code smallint, body_bytes bigint, signals jsonb)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'decorum'
BEGIN ATOMIC
 SELECT c.capture_id,
     c.fetched_at,
     c.status_code,
     c.body_bytes,
     c.signals
    FROM capture c
   WHERE ((c.url_hash = fresh_capture.hash) AND (c.fetched_at >= (decorum.now() - fresh_capture.age)) AND (((c.status_code >= 200) AND (c.status_code <= 299)) OR (c.status_code = ANY (ARRAY[304, 404, 410]))))
   ORDER BY c.fetched_at DESC
  LIMIT 1;
END

CREATE OR REPLACE FUNCTION decorum.now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN statement_timestamp()

CREATE OR REPLACE FUNCTION decorum.robots_wait(answered_at timestamp with time zone, ask_at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE WHEN COALESCE((answered_at < (decorum.now() - '24:00:00'::interval)), true) THEN ask_at ELSE NULL::timestamp with time zone END
