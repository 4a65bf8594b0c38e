/** Splits the rows of sharded tables by their owners, so that a page is only read from the shards that have its rows. */
import type { Db } from "../db/schema.ts";
import { isSharded } from "../db/sharding.ts";
import { distributionColumns } from "../db/tables/define.ts";
import { getTable, type TableName } from "../db/tables.ts";
import { untyped } from "../db/untyped.ts";

/** A game or an account, whose rows of a table are all in one shard. */
interface Owner {
  readonly id: string;
  readonly rows: number;
}

/** Rows of a table: those whose column has one of some values. */
export interface RowScope {
  readonly column: string;
  readonly values: readonly string[];
}

/**
 * The owners of the rows of a table, in key order. Null if the table is not sharded by the first column of its key: all of its
 * rows are then read in the order of the key. That order is not the order of the shards, so each of them would read a whole page,
 * most of which would be thrown away.
 */
export async function listOwners(db: Db, table: TableName): Promise<OwnerList | null> {
  const { place, key } = getTable(table);
  const column = place === "game" || place === "account" ? distributionColumns[place] : null;
  if (!isSharded(db) || column === null || key[0] !== column) return null;
  const rows = await untyped(db)
    .selectFrom(table)
    .select((eb) => [eb.ref(column).as("id"), eb.fn.countAll<number>().as("rows")])
    .groupBy(column)
    .orderBy(column)
    .execute();
  return new OwnerList(
    column,
    rows.map(({ id, rows }) => ({ id: String(id), rows: Number(rows) })),
  );
}

/** The owners whose rows are not read yet. */
export class OwnerList {
  readonly #column: string;
  readonly #owners: readonly Owner[];
  #next = 0;

  constructor(column: string, owners: readonly Owner[]) {
    this.#column = column;
    this.#owners = owners;
  }

  /** Takes the next owner, and those after it whose rows fit on the same page with fewer than `limit` rows. Undefined at the end. */
  take(limit: number): RowScope | undefined {
    const first = this.#next;
    let rows = 0;
    for (const owner of this.#owners.slice(first, first + limit)) {
      rows += owner.rows;
      if (this.#next > first && rows >= limit) break;
      this.#next += 1;
    }
    if (this.#next === first) return undefined;
    return { column: this.#column, values: this.#owners.slice(first, this.#next).map(({ id }) => id) };
  }
}
