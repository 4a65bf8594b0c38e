/** Journeys: one tester's sessions in order, found by handle or device. */
import { fail } from "../../contract/errors.ts";
import type { getTesterJourney, Journey, JourneyEntry } from "../../contract/journeys.ts";
import type { Session } from "../../contract/sessions.ts";
import type { Db } from "../db/schema.ts";
import { summarizeJourney, topFriction, topPraise, trendOf } from "../journey.ts";
import { requireGame } from "../queries/games.ts";
import {
  deviceExists,
  findDeviceOfHandle,
  handlesOfDevices,
  journeyInsights,
  journeySessions,
  type TesterIdentity,
} from "../queries/journeys.ts";
import type { Handler } from "./handler.ts";

export const handleGetTesterJourney: Handler<typeof getTesterJourney> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const tester = await testerOf(db, game.id, input.deviceId);
  const { id, slug, name } = game;
  return { journey: { ...(await journeyOf(db, id, tester, input.env ?? "all")), game: { id, slug, name } } };
};

/** The tester a name means: a handle first, a device second. Throws `not_found` where it is neither. */
async function testerOf(db: Db, gameId: string, name: string): Promise<TesterIdentity> {
  const byHandle = await findDeviceOfHandle(db, gameId, name);
  if (byHandle) return byHandle;
  if (!(await deviceExists(db, gameId, name))) throw fail("not_found");
  const handles = await handlesOfDevices(db, gameId, [name]);
  return { handle: handles.get(name) ?? null, deviceId: name };
}

async function journeyOf(
  db: Db,
  gameId: string,
  { handle, deviceId }: TesterIdentity,
  env: string,
): Promise<Omit<Journey, "game">> {
  const sessions = deviceId === null ? [] : await journeySessions(db, gameId, deviceId, env);
  const bySession =
    deviceId === null ? new Map<string, never[]>() : await journeyInsights(db, gameId, deviceId, env);
  const entries = sessions.map((session): JourneyEntry => {
    const insights = bySession.get(session.id) ?? [];
    return {
      session: JSON.parse(session.item) as Session,
      insights,
      topFriction: topFriction(insights),
      topPraise: topPraise(insights),
    };
  });
  const playedAs = sessions.findLast((session) => session.testerHandle !== null)?.testerHandle;
  const identityLabel = handle ?? playedAs ?? deviceId ?? "";
  const activeMs = sessions.map((session) => session.activeMs);
  return {
    tester: { handle, deviceId, identityLabel },
    totalSessions: sessions.length,
    totalActiveSec: Math.round(activeMs.reduce((sum, ms) => sum + ms, 0) / 1000),
    engagementTrend: trendOf(activeMs),
    entries,
    summary: summarizeJourney(
      identityLabel,
      sessions,
      entries.flatMap((entry) => entry.insights),
    ),
  };
}
