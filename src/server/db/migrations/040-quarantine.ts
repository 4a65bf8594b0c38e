/** Where sessions came from, and the quarantine that they are in. */
import type { Kysely } from "kysely";
import { runScript } from "./031-baseline/index.ts";

export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, [
    `alter table sessions add column address_hash text;
    alter table sessions add column quarantine_id text;
    alter table sessions add column quarantined_at bigint;`,
  ]);
