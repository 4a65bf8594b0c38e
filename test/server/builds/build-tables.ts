/** The tables with the counters of builds: as they are stored, and counted again from the sessions. */
import type { Kysely } from "kysely";
import type { Db } from "../../../src/server/db/schema.ts";
import type { Store } from "../../../src/server/db/store.ts";
import { fillBuildCounts } from "./fill-build-counts.ts";

/** Counts all builds again. */
export async function recountBuilds(db: Db): Promise<void> {
  for (const table of ["build_testers", "build_counts", "build_durations"] as const)
    await db.deleteFrom(table).execute();
  await fillBuildCounts(db as Kysely<unknown>);
}

/** The contents of the tables, without counters that are 0, in a fixed order. */
export async function readBuildTables(db: Db): Promise<Record<string, string[]>> {
  const testers = await db.selectFrom("build_testers").selectAll().execute();
  const counts = await db.selectFrom("build_counts").selectAll().where("amount", "!=", 0).execute();
  const durations = await db.selectFrom("build_durations").selectAll().where("sessions", "!=", 0).execute();
  return {
    testers: toTexts(testers.map((row) => ({ ...row, facts: sortFacts(row.facts) }))),
    counts: toTexts(counts),
    durations: toTexts(durations),
  };
}

const toTexts = (rows: readonly object[]): string[] =>
  rows.map((row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))).sort();

function sortFacts(json: string): string[] {
  const values = JSON.parse(json) as unknown[];
  return Array.from({ length: values.length / 4 }, (_, at) =>
    JSON.stringify(values.slice(at * 4, at * 4 + 4)),
  ).sort();
}

const undone = new Error("The recount is undone");

/** What the tables would contain if all builds were counted again. */
export async function readRecountedTables(store: Store): Promise<Record<string, string[]>> {
  let recounted: Record<string, string[]> = {};
  await store
    .write(async (db) => {
      await recountBuilds(db);
      recounted = await readBuildTables(db);
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return recounted;
}
