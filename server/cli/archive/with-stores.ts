import { DecorumError } from '@decorum/sdk/client/decorum-error.ts';
import { createDirectoryArchive, type Archive } from '../../archive/directory-archive.ts';
import type { Config } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { loadConfig } from '../../config/load-config.ts';
import { findEmbeddedPostgres } from '../../embedded/find-embedded-postgres.ts';
import { DomainError } from '../../runtime/domain-error.ts';
import { createDatabase, type Pool } from '../../store/database.ts';

/** The platform's database and archive, reached without its API. */
export type Stores = { readonly pool: Pool; readonly archive: Archive; readonly archiveDir: string };

/**
 * Runs a command on the stores that `npm start` uses here, and closes them afterwards. What is wrong with them is thrown as
 * a `DecorumError` that says what to do.
 */
export async function withStores<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
  try {
    const config = loadConfig();
    const archiveDir = directoryOf(config);
    const databaseUrl = config.databaseUrl ?? (await findEmbeddedPostgres(config.dataDir));
    if (databaseUrl === undefined) throw noDatabase(config.dataDir);
    await using database = createDatabase(databaseUrl);
    return await work({ pool: database.general, archive: createDirectoryArchive(archiveDir), archiveDir });
  } catch (error) {
    if (error instanceof ConfigError)
      throw new DecorumError({ code: 'invalid_argument', reason: 'CONFIG', message: error.message });
    if (error instanceof DomainError && error.kind === 'unavailable') throw unreachable(error);
    throw error;
  }
}

function directoryOf({ archive }: Config): string {
  if (archive.kind === 'directory') return archive.path;
  const message = 'DECORUM_ARCHIVE_URL: S3 is not supported yet; give a directory as file:///path';
  throw new DecorumError({ code: 'invalid_argument', reason: 'CONFIG', message });
}

function noDatabase(dataDir: string): DecorumError {
  const message = `There is no database: set DATABASE_URL, or DECORUM_DATA_DIR to where the platform keeps its data (${dataDir} has none that can be read).`;
  return new DecorumError({ code: 'unavailable', reason: 'NO_DATABASE', message });
}

function unreachable(cause: DomainError): DecorumError {
  const message =
    'The database does not answer. An embedded one runs while the platform does: npm start, or set DATABASE_URL.';
  return new DecorumError({ code: 'unavailable', reason: cause.reason, message, cause });
}
