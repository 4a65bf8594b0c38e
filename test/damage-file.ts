/** Damages closed or open database files, as a disk would. */
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { loadDriver } from "../src/server/db/sqlite.ts";

/** The first page of a table or index in a database file. */
export async function findRootPage(database: string, name: string): Promise<number> {
  const { DatabaseSync } = (await loadDriver()).driver;
  const connection = new DatabaseSync(database, { readOnly: true });
  const row = connection.prepare("select rootpage from sqlite_schema where name = ?").get(name);
  connection.close();
  return (row as { rootpage: number }).rootpage;
}

/** Overwrites pages of a database file. Pages are counted from 1. */
export function overwritePages(database: string, first: number, count = 1): void {
  const file = openSync(database, "r+");
  const header = Buffer.alloc(100);
  readSync(file, header, 0, 100, 0);
  const pageSize = header.readUInt16BE(16);
  writeSync(file, Buffer.alloc(pageSize * count, 0x5a), 0, pageSize * count, (first - 1) * pageSize);
  closeSync(file);
}

/** The leaf pages of a table or index. */
export async function findPages(database: string, name: string): Promise<number[]> {
  const { DatabaseSync } = (await loadDriver()).driver;
  const connection = new DatabaseSync(database, { readOnly: true });
  const rows = connection
    .prepare("select pageno from dbstat where name = ? and pagetype = 'leaf' order by pageno")
    .all(name);
  connection.close();
  return rows.map(({ pageno }) => Number(pageno));
}
