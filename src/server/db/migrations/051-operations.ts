/** What operators watch: which key expires next. */
import type { Kysely } from "kysely";
import { runScript } from "./031-baseline/index.ts";

export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, ["create index keys_by_expiry on keys (expires_at);"]);
