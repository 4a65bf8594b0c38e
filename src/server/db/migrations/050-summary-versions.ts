/** The version of the rules that wrote a summary. Null for those of a model and those from before the column existed. */
import type { Kysely } from "kysely";
import { runScript } from "./031-baseline/index.ts";

export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, [
    "alter table build_summaries add column rules_version bigint;",
    "alter table tester_summaries add column rules_version bigint;",
    "create index build_summaries_version on build_summaries (rules_version);",
    "create index tester_summaries_version on tester_summaries (rules_version);",
  ]);
