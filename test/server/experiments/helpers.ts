/** Helpers to create experiments and sessions in them. */
import { expect } from "vitest";
import type { Variant } from "../../../src/contract/experiments.ts";
import type { Db, GameRow } from "../../../src/server/db/schema.ts";
import {
  type ExperimentWithAudience,
  requireExperiment,
} from "../../../src/server/experiments/experiment-queries.ts";
import { createExperiment, startExperiment } from "../../../src/server/experiments/lifecycle.ts";
import { requireGame } from "../../../src/server/games/game-queries.ts";
import { NOW, type TestService } from "../../harness.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";

export const DAY = 86_400_000;

/** Few enough for the maximum number of parameters of a statement. */
const COPIES_PER_STATEMENT = 100;

export const HALVES: Variant[] = [
  { key: "control", name: "As it is", allocation: 50 },
  { key: "bright", name: "Brighter caves", allocation: 50 },
];

export async function gameOf(service: TestService, slug: string): Promise<GameRow> {
  return await requireGame(service.service.store.readDb, service.accountId, slug);
}

/** Runs administrative work in one transaction. */
export async function change<T>(service: TestService, work: (db: Db) => Promise<T>): Promise<T> {
  return await service.service.store.writeDb.transaction().execute(work);
}

/** Creates an experiment of a game and starts it, unless `draft` is set. */
export async function experiment(
  service: TestService,
  slug: string,
  given: { readonly variants?: Variant[]; readonly audienceId?: string; readonly draft?: true } = {},
): Promise<string> {
  const game = await gameOf(service, slug);
  const { variants = HALVES, audienceId = null, draft } = given;
  return await change(service, async (db) => {
    const { id } = await createExperiment(db, service.service, game, { name: "Caves", variants, audienceId });
    if (!draft) await startExperiment(db, await requireExperiment(db, game.account_id, id), NOW);
    return id;
  });
}

/** Changes an experiment by its id. */
export async function alter<T>(
  service: TestService,
  id: string,
  work: (db: Db, row: ExperimentWithAudience) => Promise<T>,
): Promise<T> {
  return await change(service, async (db) => work(db, await requireExperiment(db, service.accountId, id)));
}

/** One session of a device, with its variants and events. */
export interface Sitting {
  readonly deviceId?: string;
  readonly at: number;
  readonly tags?: Record<string, string>;
  readonly events?: readonly string[];
  /** Wall time and active time in seconds. */
  readonly lasts?: readonly [wallSec: number, activeSec: number];
}

/** Sends a session, and returns its id. */
export async function sit(service: TestService, slug: string, sitting: Sitting): Promise<string> {
  const { deviceId, at, tags, events = [], lasts = [100, 50] } = sitting;
  const named = events.map((name, n) => ({ id: `e${n}`, name, timestamp: at + n, data: { room: "cave" } }));
  const [wallSec, activeSec] = lasts;
  const summary = { id: "end", name: "session_summary", timestamp: at + 1000, data: { wallSec, activeSec } };
  return await sendTelemetry(service, {
    gameId: slug,
    startedAt: at,
    ...(deviceId ? { deviceId } : {}),
    ...(tags ? { experimentTags: tags } : {}),
    events: [...named, summary],
  });
}

/**
 * Copies a session without its events and its analysis, and its exposures, each with a separate device: the first copy of a
 * session of `a` belongs to `a_0`. Faster than sending many sessions.
 */
export async function copySession(service: TestService, sessionId: string, copies: number): Promise<void> {
  // Otherwise, it depends on the worker whether the copies are analyzed.
  await service.analysis.drain();
  await change(service, async (db) => {
    const row = await db
      .selectFrom("sessions")
      .selectAll()
      .where("id", "=", sessionId)
      .executeTakeFirstOrThrow();
    const exposures = await db
      .selectFrom("exposures")
      .selectAll()
      .where("session_id", "=", sessionId)
      .execute();
    for (let first = 0; first < copies; first += COPIES_PER_STATEMENT) {
      const numbers = Array.from(
        { length: Math.min(COPIES_PER_STATEMENT, copies - first) },
        (_, n) => first + n,
      );
      const sessions = numbers.map((copy) => {
        const device = `${row.device_id}_${copy}`;
        const own = { id: `${sessionId}_${copy}`, device_id: device, tester: device };
        return {
          ...row,
          ...own,
          client_session_id: null,
          creation_hash: null,
          next_batch: 0,
          analysis_due: null,
        };
      });
      await db.insertInto("sessions").values(sessions).execute();
      const copied = exposures.flatMap((exposure) =>
        sessions.map(({ id }) => ({ ...exposure, session_id: id })),
      );
      if (copied.length > 0) await db.insertInto("exposures").values(copied).execute();
    }
  });
}

/** Reads the comparison of an experiment, after everything was analyzed. */
export async function compare(service: TestService, id: string) {
  await service.analysis.drain();
  const answer = await service.get(`/api/v1/experiments/${id}/comparison`);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.json;
}
