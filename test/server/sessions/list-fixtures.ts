/** Stores sessions and insights of every kind, and returns the expected items of lists. */

import { insightTypes, sentiments } from "../../../src/contract/insights.ts";
import { sessionSources, sessionStatuses } from "../../../src/contract/sessions.ts";
import type { InsightRow } from "../../../src/server/db/schema.ts";
import { insertInsights } from "../../../src/server/insights/insight-queries.ts";
import { NOW, type TestService } from "../../harness.ts";
import { changeSession, sendTelemetry } from "../telemetry-helpers.ts";

export const MINUTE = 60_000;
export const games = ["maze", "tower"];
export const builds = ["1.0", "1.1", "unknown"];
export const environments = ["production", "staging"];

interface Planned {
  readonly id: string;
  readonly game: string;
  readonly build: string;
  readonly env: string;
  readonly status: string;
  readonly source: string;
  readonly at: number;
}

interface PlannedInsight {
  readonly id: string;
  readonly game: string;
  readonly build: string;
  readonly type: string;
  readonly sentiment: string;
  readonly at: number;
}

/** The sessions that the last call of `fillLists` stored, newest first. */
export const sessions: Planned[] = [];
export const insights: PlannedInsight[] = [];

export const getIds = (items: readonly { id: string }[]) => items.map(({ id }) => id);

/** Picks an item. The same seed always picks the same item. */
const pick = <T>(from: readonly T[], seed: number): T => from[(seed * 7919 + 13) % from.length] as T;

/** Stores sessions and insights in the service, and fills `sessions` and `insights` with the expected list items. */
export async function fillLists(service: TestService): Promise<void> {
  sessions.length = 0;
  insights.length = 0;
  const gameIds = new Map<string, string>();
  for (const game of games) gameIds.set(game, await service.addGame(game));
  for (let n = 0; n < 137; n += 1) {
    const [game, build, env] = [pick(games, n), pick(builds, n >> 1), pick(environments, n >> 2)];
    const [status, source] = [pick(sessionStatuses, n >> 1), pick(sessionSources, n)];
    const at = NOW - (n % 23) * MINUTE;
    const body = {
      gameId: game,
      startedAt: at,
      environment: env,
      sessionMetadata: build === "unknown" ? {} : { gameVersion: build },
    };
    const id = await sendTelemetry(service, body);
    await changeSession(service, id, { status, source, analysis_due: null });
    sessions.push({ id, game, build, env, status, source, at });
  }
  const rows: InsightRow[] = [];
  for (let n = 0; n < 111; n += 1) {
    const of = sessions[(n * 5) % sessions.length] as Planned;
    const [type, sentiment, at] = [pick(insightTypes, n), pick(sentiments, n >> 1), NOW - (n % 17) * MINUTE];
    const id = `ins_${((n * 38) % 111).toString().padStart(4, "0")}`;
    rows.push({
      game_id: gameIds.get(of.game) ?? "",
      id,
      account_id: service.accountId,
      session_id: of.id,
      build: of.build,
      environment: of.env,
      tester: of.id,
      type,
      sentiment,
      confidence: 0.5,
      tag: `${type}:here`,
      title: "Something",
      evidence: "Seen",
      claims: "[]",
      created_at: at,
      after_ms: null,
    });
    insights.push({ id, game: of.game, build: of.build, type, sentiment, at });
  }
  await insertInsights(service.service.store.writeDb, rows);
  sessions.sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1));
  insights.sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1));
}
