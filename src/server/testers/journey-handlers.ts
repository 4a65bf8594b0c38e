/** Journeys: all sessions of one tester in chronological order, by handle or device id. */
import type { getTesterJourney, Journey, JourneyEntry } from "../../contract/journeys.ts";
import type { Session } from "../../contract/sessions.ts";
import type { Handler } from "../accounts/handler.ts";
import type { Db } from "../db/schema.ts";
import { findQuestions } from "../feedback/questions.ts";
import { requireGame } from "../games/game-queries.ts";
import { resolveTester } from "../ids/tester-identity.ts";
import type { TesterIdentity } from "../ids/tester-queries.ts";
import { computeTrend, summarizeJourney, topFriction, topPraise } from "./journey.ts";
import { readJourneyInsights, readJourneySessions } from "./journey-queries.ts";

export const handleGetTesterJourney: Handler<typeof getTesterJourney> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const tester = await resolveTester(db, game.id, input.deviceId);
  const { id, slug, name } = game;
  return {
    journey: { ...(await buildJourney(db, id, tester, input.env ?? "all")), game: { id, slug, name } },
  };
};

async function buildJourney(
  db: Db,
  gameId: string,
  { handle, deviceId, sessionFilter }: TesterIdentity,
  env: string,
): Promise<Omit<Journey, "game">> {
  const sessions = await readJourneySessions(db, gameId, sessionFilter, env);
  const bySession = await readJourneyInsights(db, gameId, sessionFilter, env);
  const questions = await findQuestions(db, gameId);
  const entries = sessions.map((session): JourneyEntry => {
    const insights = bySession.get(session.id) ?? [];
    return {
      session: JSON.parse(session.item) as Session,
      insights,
      topFriction: topFriction(insights, questions),
      topPraise: topPraise(insights, questions),
    };
  });
  const lastHandle = sessions.findLast((session) => session.testerHandle !== null)?.testerHandle;
  const identityLabel = handle ?? lastHandle ?? deviceId ?? "";
  const activeMs = sessions.map((session) => session.activeMs);
  return {
    tester: { handle, deviceId, identityLabel },
    totalSessions: sessions.length,
    totalActiveSec: Math.round(activeMs.reduce((sum, ms) => sum + ms, 0) / 1000),
    engagementTrend: computeTrend(activeMs),
    entries,
    summary: summarizeJourney(
      identityLabel,
      sessions,
      entries.flatMap((entry) => entry.insights),
      questions,
      env,
    ),
  };
}
