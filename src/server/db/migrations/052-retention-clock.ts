/** What retention last saw of the clock, so that one that was set forward does not delete everything. */
import type { Kysely } from "kysely";
import { runScript } from "./031-baseline/index.ts";

export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, [
    "alter table retention_state add column seen_at bigint;",
    "alter table retention_state add column held_until bigint;",
  ]);
