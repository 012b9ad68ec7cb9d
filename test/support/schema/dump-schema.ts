/**
 * The database's schema as text, read from the catalogue of a migrated database: what a reader of a change wants to see,
 * in one order that nothing but a change of the schema disturbs.
 */
import type { Pool } from '@decorum/server/store/database.ts';

/** Dumps the schema `decorum` of a migrated database. */
export async function dumpSchema(sql: Pool): Promise<string> {
  const tables = await sql<{ name: string; options: string[] | null; secured: boolean }[]>`
    select relname as name, reloptions as options, relrowsecurity as secured
    from pg_class where relnamespace = 'decorum'::regnamespace and relkind in ('r', 'p') order by relname
  `;
  const parts = ['-- Made from the migrations by "npm run generate"; never edited.'];
  for (const table of tables) parts.push(await dumpTable(sql, table));
  parts.push(await dumpFunctions(sql));
  return `${parts.join('\n\n')}\n`;
}

async function dumpTable(
  sql: Pool,
  { name, options, secured }: { name: string; options: string[] | null; secured: boolean },
): Promise<string> {
  const table = `decorum.${name}`;
  const columns = await lines(
    sql`
      select format('%s %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then ' not null' else '' end,
        case when a.attidentity = 'a' then ' generated always as identity' else '' end,
        coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')) as line
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = ${table}::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum
    `,
  );
  const constraints = await lines(
    sql`
      select format('constraint %s %s', conname, pg_get_constraintdef(oid)) as line
      from pg_constraint where conrelid = ${table}::regclass and contype <> 'n' order by conname
    `,
  );
  const indexes = await lines(
    sql`
      select pg_get_indexdef(i.indexrelid) as line
      from pg_index i where i.indrelid = ${table}::regclass
        and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
      order by i.indexrelid::regclass::text
    `,
  );
  const policies = await lines(
    sql`
      select format('policy %s to %s using (%s) with check (%s)', policyname, array_to_string(roles, ', '), qual,
        coalesce(with_check, '')) as line
      from pg_policies where schemaname = 'decorum' and tablename = ${name} order by policyname
    `,
  );
  const grants = await lines(
    sql`
      select format('grant %s to %s', string_agg(lower(privilege_type), ', ' order by privilege_type), grantee) as line
      from information_schema.role_table_grants
      where table_schema = 'decorum' and table_name = ${name} and grantee like 'decorum\_%'
      group by grantee order by grantee
    `,
  );
  const columnGrants = await lines(
    sql`
      select format('grant %s (%s) to %s', lower(privilege_type), string_agg(column_name, ', ' order by column_name),
        grantee) as line
      from information_schema.column_privileges p
      where table_schema = 'decorum' and table_name = ${name} and grantee like 'decorum\_%'
        and not exists (
          select from information_schema.role_table_grants g
          where g.table_schema = 'decorum' and g.table_name = ${name} and g.grantee = p.grantee
            and g.privilege_type = p.privilege_type
        )
      group by grantee, privilege_type order by grantee, privilege_type
    `,
  );
  const head = `table ${table}${options === null ? '' : ` with (${options.join(', ')})`}`;
  const security = secured ? ['row-level security'] : [];
  return [
    head,
    ...[...columns, ...constraints, ...indexes, ...security, ...policies, ...grants, ...columnGrants].map(
      (line) => `  ${line}`,
    ),
  ].join('\n');
}

async function dumpFunctions(sql: Pool): Promise<string> {
  const functions = await lines(
    sql`
      select pg_get_functiondef(oid) as line from pg_proc
      where pronamespace = 'decorum'::regnamespace order by proname
    `,
  );
  return functions.map((text) => text.trim()).join('\n\n');
}

async function lines(query: PromiseLike<readonly { line?: string }[]>): Promise<string[]> {
  return (await query).map(({ line = '' }) => line);
}
