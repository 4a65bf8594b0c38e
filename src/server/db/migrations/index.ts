/** The migrations, in order: numbered and append-only. The numbers before the baseline belong to development versions. */

import type { Kysely, Migration } from "kysely";
import { version } from "../../../shared/version.prepared.ts";
import type { Schema } from "../schema.ts";
import * as baseline from "./031-baseline/index.ts";
import * as roomOutcomes from "./032-room-outcomes.ts";
import * as crashMargin from "./033-crash-margin.ts";
import * as sessionOutcome from "./034-session-outcome.ts";
import * as summaryQueue from "./035-summary-queue.ts";
import * as analysisRuns from "./036-analysis-runs.ts";
import * as budgets from "./037-budgets.ts";
import * as buildStates from "./038-build-states.ts";
import * as sessionSize from "./039-session-size.ts";
import * as quarantine from "./040-quarantine.ts";
import * as slowRooms from "./041-slow-rooms.ts";
import * as clocks from "./042-clocks.ts";
import * as positions from "./043-positions.ts";
import * as performance from "./045-performance.ts";
import * as sampleRates from "./046-sample-rates.ts";
import * as gates from "./047-gates.ts";
import * as summaryVersions from "./050-summary-versions.ts";
import * as operations from "./051-operations.ts";
import * as clocksAndDeliveries from "./052-clocks-and-deliveries.ts";

/** Migrations by name, in order. */
export type Migrations = Readonly<Record<string, Migration>>;

export const migrations: Migrations = {
  "031-baseline": baseline,
  "032-room-outcomes": roomOutcomes,
  "033-crash-margin": crashMargin,
  "034-session-outcome": sessionOutcome,
  "035-summary-queue": summaryQueue,
  "036-analysis-runs": analysisRuns,
  "037-budgets": budgets,
  "038-build-states": buildStates,
  "039-session-size": sessionSize,
  "040-quarantine": quarantine,
  "041-slow-rooms": slowRooms,
  "042-clocks": clocks,
  "043-positions": positions,
  "045-performance": performance,
  "046-sample-rates": sampleRates,
  "047-gates": gates,
  "050-summary-versions": summaryVersions,
  "051-operations": operations,
  "052-clocks-and-deliveries": clocksAndDeliveries,
};

/** The id of the only row. */
const ID = 1;

/** The same migrations, of which the last one also stores the version of this program, in the same transaction. */
export function storingProgramVersion(migrations: Migrations): Migrations {
  const [last, migration] = Object.entries(migrations).at(-1) ?? [];
  if (last === undefined || migration === undefined) return migrations;
  const up = async (db: Kysely<Schema>) => {
    await migration.up(db);
    await storeProgramVersion(db);
  };
  return { ...migrations, [last]: { up } };
}

/** Stores the version of this program. */
export async function storeProgramVersion(db: Kysely<Schema>): Promise<void> {
  await db
    .insertInto("program_versions")
    .values({ id: ID, version })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ version }))
    .execute();
}

/** The version of the program that last updated the schema; null if it did not store its version. */
export async function readProgramVersion(db: Kysely<Schema>): Promise<string | null> {
  const row = await db
    .selectFrom("program_versions")
    .select("version")
    .where("id", "=", ID)
    .executeTakeFirst()
    .catch(() => undefined);
  return row?.version ?? null;
}
