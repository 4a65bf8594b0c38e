/** The builds that are registered or hidden. */
import type { Kysely } from "kysely";
import { runScript } from "./031-baseline/index.ts";

export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, [
    `create table build_states (
      game_id text not null, build text not null, registered_at bigint, hidden_at bigint,
      constraint build_states_key primary key (game_id, build)
    );`,
  ]);
