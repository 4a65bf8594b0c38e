/** Journeys: all sessions of one tester in chronological order, by handle or device id. */
import { HttpError } from "../../contract/errors.ts";
import type { getTesterJourney, Journey, JourneyEntry } from "../../contract/journeys.ts";
import type { Session } from "../../contract/sessions.ts";
import type { Handler } from "../accounts/handler.ts";
import type { Db } from "../db/schema.ts";
import { findQuestions } from "../feedback/questions.ts";
import { requireGame } from "../games/queries.ts";
import { findHandle } from "./handle-queries.ts";
import { computeTrend, summarizeJourney, topFriction, topPraise } from "./journey.ts";
import {
  deviceExists,
  findHandlesByDevice,
  findNewestWithHandle,
  readJourneyInsights,
  readJourneySessions,
  type TesterIdentity,
  type TesterSessionFilter,
} from "./journey-queries.ts";

export const handleGetTesterJourney: Handler<typeof getTesterJourney> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const tester = await resolveTester(db, game.id, input.deviceId);
  const { id, slug, name } = game;
  return {
    journey: { ...(await buildJourney(db, id, tester, input.env ?? "all")), game: { id, slug, name } },
  };
};

/**
 * Resolves a name to a tester. It may be a handle with a linked device (all sessions of the device), a handle that
 * sessions name (those sessions), or a device id, in this order. Throws `not_found` if it is none of them.
 */
async function resolveTester(db: Db, gameId: string, name: string): Promise<TesterIdentity> {
  const registered = await findHandle(db, gameId, "handle", name);
  if (registered?.device_id != null)
    return { handle: name, deviceId: registered.device_id, sessionFilter: byDevice(registered.device_id) };
  const named = await findNewestWithHandle(db, gameId, name);
  if (registered || named) {
    return {
      handle: name,
      deviceId: named?.deviceId ?? null,
      sessionFilter: { column: "tester_handle", value: name },
    };
  }
  if (!(await deviceExists(db, gameId, name))) throw new HttpError("not_found");
  const handles = await findHandlesByDevice(db, gameId, [name]);
  return { handle: handles.get(name) ?? null, deviceId: name, sessionFilter: byDevice(name) };
}

const byDevice = (value: string): TesterSessionFilter => ({ column: "device_id", value });

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
