/** The tables of a database with their columns, keys and indexes, as the engine lists them. */
import { type Kysely, sql } from "kysely";
import type { Schema } from "../../../src/server/db/schema.ts";
import { engine, listTables } from "../../engine.ts";

export interface StoredColumn {
  readonly name: string;
  /** The type in the words of the engine, with the collation of text in Postgres. */
  readonly type: string;
  readonly isRequired: boolean;
  /** The SQL of the default; null without one. */
  readonly default: string | null;
}

export interface StoredIndex {
  /** Null for the unique constraints of SQLite, whose names it does not store. */
  readonly name: string | null;
  readonly isUnique: boolean;
  /** The columns, with ` desc` if in descending order. */
  readonly columns: readonly string[];
  /** The condition of a partial index; null for others. */
  readonly where: string | null;
}

export interface StoredTable {
  readonly columns: readonly StoredColumn[];
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** Sorted by columns. */
  readonly indexes: readonly StoredIndex[];
}

/** The schema of a database by table, without the tables of Kysely. */
export async function readSchema(db: Kysely<Schema>): Promise<Record<string, StoredTable>> {
  const tables: Record<string, StoredTable> = {};
  const read = engine === "postgres" ? readPostgresTable : readSqliteTable;
  for (const { name } of await listTables({ readDb: db })) tables[name] = await read(db, name);
  return tables;
}

async function readSqliteTable(db: Kysely<Schema>, table: string): Promise<StoredTable> {
  const { rows: columns } = await sql<{
    name: string;
    type: string;
    isRequired: number;
    default: string | null;
    pk: number;
  }>`select name, type, "notnull" as isRequired, dflt_value as "default", pk from pragma_table_info(${table})`.execute(
    db,
  );
  const { rows: indexes } = await sql<{
    name: string;
    isUnique: number;
    origin: string;
    text: string | null;
  }>`
    select l.name, l."unique" as isUnique, l.origin, s.sql as text
    from pragma_index_list(${table}) as l left join sqlite_schema as s on s.name = l.name
    where l.origin <> 'pk'
  `.execute(db);
  const read = async ({ name, isUnique, origin, text }: (typeof indexes)[number]) => {
    const { rows } = await sql<{ name: string; desc: number }>`
      select name, "desc" from pragma_index_xinfo(${name}) where key = 1 order by seqno
    `.execute(db);
    return {
      name: origin === "u" ? null : name,
      isUnique: isUnique === 1,
      columns: rows.map((row) => row.name + (row.desc === 1 ? " desc" : "")),
      where: /\bwhere\s+(.+)$/is.exec(text ?? "")?.[1]?.trim() ?? null,
    };
  };
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  return {
    columns: columns.map(({ pk: _pk, ...column }) => ({ ...column, isRequired: column.isRequired === 1 })),
    key: key.map(({ name }) => name),
    indexes: sortIndexes(await Promise.all(indexes.map(read))),
  };
}

async function readPostgresTable(db: Kysely<Schema>, table: string): Promise<StoredTable> {
  const { rows: columns } = await sql<StoredColumn>`
    select a.attname as name, a.attnotnull as "isRequired", pg_get_expr(d.adbin, d.adrelid) as "default",
      format_type(a.atttypid, a.atttypmod) || case when c.collname = 'C' then ' C' else '' end as type
    from pg_attribute a
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      left join pg_collation c on c.oid = a.attcollation
    where a.attrelid = ${table}::regclass and a.attnum > 0 and not a.attisdropped
    order by a.attnum
  `.execute(db);
  const { rows: indexes } = await sql<StoredIndex & { isPrimary: boolean }>`
    select i.indexrelid::regclass::text as name, i.indisunique as "isUnique", i.indisprimary as "isPrimary",
      pg_get_expr(i.indpred, i.indrelid) as where,
      array(
        select pg_get_indexdef(i.indexrelid, k + 1, true) || case when i.indoption[k] & 1 = 1 then ' desc' else '' end
        from generate_series(0, i.indnkeyatts - 1) as k order by k
      ) as columns
    from pg_index i where i.indrelid = ${table}::regclass
  `.execute(db);
  const key = indexes.find(({ isPrimary }) => isPrimary);
  return {
    columns,
    key: key?.columns ?? [],
    indexes: sortIndexes(
      indexes.filter(({ isPrimary }) => !isPrimary).map(({ isPrimary: _isPrimary, ...index }) => index),
    ),
  };
}

const sortIndexes = (indexes: readonly StoredIndex[]): StoredIndex[] =>
  [...indexes].sort((a, b) => (describe(a) < describe(b) ? -1 : 1));

const describe = ({ name, columns }: StoredIndex): string => `${columns} ${name}`;
