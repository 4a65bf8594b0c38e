/** Selects sessions of a game. */
import type { Db } from "../db/schema.ts";

/** Sessions of a game. Absent fields match all of them. */
export interface SessionScope {
  readonly gameId: string;
  readonly build?: string | undefined;
  /** `all` matches every environment. */
  readonly environment?: string | undefined;
  /** Bounds on recordedAt, inclusive, unix ms. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export const selectSessions = (db: Db, { gameId, build, environment = "all", from, to }: SessionScope) =>
  db
    .selectFrom("sessions")
    .where("game_id", "=", gameId)
    .$if(build !== undefined, (query) => query.where("build", "=", build ?? ""))
    .$if(environment !== "all", (query) => query.where("environment", "=", environment))
    .$if(from !== undefined, (query) => query.where("recorded_at", ">=", from ?? 0))
    .$if(to !== undefined, (query) => query.where("recorded_at", "<=", to ?? 0));
