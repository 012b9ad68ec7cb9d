import type { Readable, Writable } from 'node:stream';
import type { Client } from '@connectrpc/connect';
import type { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import type { Decorum } from '../client/connect.ts';
import type { CliConfig } from '../config/load-cli-config.ts';
import type { Column } from './print-table.ts';

/** What a command sees of the world. Connections are made when first asked for, and closed after the command. */
export type CliContext = {
  /** Machines read the output: one JSON object a line. */
  readonly json: boolean;
  /** From the environment and the command line. */
  readonly config: CliConfig;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stdoutIsTerminal: boolean;
  /** Aborted by Ctrl-C, and when nobody reads the output any more. */
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  /** The platform as a tenant sees it, with `DECORUM_KEY`. */
  readonly tenant: () => Decorum;
  /** Tenants and keys, with `DECORUM_KEY` or else the operator's key file of this machine. */
  readonly operator: () => Promise<Client<typeof TenantService>>;
  /** One object: its fields for people, itself for machines. */
  readonly printFields: (
    object: object,
    fields: Readonly<Record<string, string | number | boolean | undefined>>,
  ) => Promise<void>;
  /** All rows at once, columns as wide as needed. */
  readonly printTable: <Row extends object>(
    columns: readonly Column<Row>[],
    rows: readonly Row[],
  ) => Promise<void>;
  /** A row as it comes; the titles come before the first. */
  readonly printRow: <Row extends object>(columns: readonly Column<Row>[], row: Row) => Promise<void>;
  /** A line for people on standard error. */
  readonly note: (text: string) => void;
};
