/** The complete check of a database file, once a day in the background, one table at a time. */
import { DAY_MS } from "../../shared/time-units.ts";
import { type BackgroundPass, createBackgroundPass } from "./background-pass.ts";
import type { Service, Task } from "./service.ts";
import { checkTable, listCheckedTables, type TableDamage, withReader } from "./sqlite-check.ts";

/** Pause between two looks at the clock, ms. */
const PAUSE_MS = 60_000;
/** Maximum duration of the check of one table, ms. A table of 100 GB on a slow disk takes less. */
const MAX_TABLE_MS = 6 * 3_600_000;

interface TableInput {
  readonly table: string;
}

export const checkTableTask: Task<TableInput, TableDamage | null> = {
  name: "check-table",
  lane: "upkeep",
  maxMs: MAX_TABLE_MS,
  run: async ({ store }, { table }) =>
    await withReader(store.location, (connection) => checkTable(connection, table)),
};

/** Creates the daily check of a service. It does nothing for Postgres, which checks its own pages, and in memory. */
export function createDatabaseCheck(service: Service): BackgroundPass {
  const { store, integrity } = service;
  const hasFile = store.engine === "sqlite" && store.location !== ":memory:";
  let startedAt: number | null = null;
  return createBackgroundPass(service, {
    name: "database check",
    pauseMs: PAUSE_MS,
    async run(isStopped) {
      const now = service.monotonicNow();
      const isDue = startedAt === null || now - startedAt >= DAY_MS;
      if (!hasFile || !isDue || integrity.isDamaged) return;
      startedAt = now;
      for (const table of await withReader(store.location, listCheckedTables)) {
        if (isStopped()) return;
        const damage = await service.work.run(checkTableTask, { table });
        if (damage) return integrity.recordDamage(describeDamage(damage));
      }
      integrity.recordCheck(service.now());
    },
  });
}

/** What is damaged of a table, in words. */
export function describeDamage({ table, hasDamagedRows, indexes }: TableDamage): string {
  if (hasDamagedRows) return `rows of the table ${table}`;
  return `${indexes.length === 1 ? "the index" : "the indexes"} ${indexes.join(", ")} of the table ${table}`;
}
