/** Finds the session a batch belongs to, or makes it. */
import { HttpError } from "../../contract/errors.ts";
import { UNKNOWN_BUILD } from "../../contract/fields.ts";
import type { SessionSource } from "../../contract/sessions.ts";
import type { TelemetryEnvelope } from "../../contract/telemetry.ts";
import { SOURCES } from "../../shared/session-sources.ts";
import type { Db, GameRow, SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { createSessionRow } from "../sessions/new-session.ts";
import { insertSession, lockGameSession } from "../sessions/queries.ts";
import { resolveClock } from "../sessions/session-clock.ts";
import { formatTitleTime } from "../sessions/sessions.ts";
import { findFirstTime, type TelemetryEvent } from "./events.ts";

/** How long a session stays open without events, ms. */
export const SESSION_IDLE_TIMEOUT_MS = 30 * 60 * 1000;

/** What a batch needs to know of its session. */
export type OpenSession = Omit<SessionRow, "item" | "search" | "transcript">;

/**
 * The session that the envelope names by its id or the client's own, or a new one, held until the transaction ends.
 * `events` are those of the envelope that passed the check. Throws `not_found` for an unknown id.
 */
export async function findOrCreateSession(
  db: Db,
  service: Service,
  game: GameRow,
  envelope: TelemetryEnvelope,
  events: readonly TelemetryEvent[],
): Promise<OpenSession> {
  const { sessionId, clientSessionId } = envelope;
  if (sessionId !== undefined) {
    const row = await lockGameSession(db, game.id, "id", sessionId);
    if (!row) throw new HttpError("not_found");
    return row;
  }
  const byClient = async () =>
    clientSessionId === undefined
      ? undefined
      : await lockGameSession(db, game.id, "client_session_id", clientSessionId);
  const known = await byClient();
  if (known) return known;
  const row = buildSessionRow(service, game, envelope, events);
  if (await insertSession(db, row)) return row;
  const others = await byClient();
  if (!others) throw new Error(`The session ${clientSessionId} is neither new nor there`);
  return others;
}

function buildSessionRow(
  service: Service,
  game: GameRow,
  envelope: TelemetryEnvelope,
  events: readonly TelemetryEvent[],
) {
  const now = service.now();
  const id = service.newId("sess");
  const { gameVersion = UNKNOWN_BUILD, platform = "unknown", ...rest } = envelope.sessionMetadata ?? {};
  const clock = resolveClock(envelope.startedAt ?? null, now, findFirstTime(events));
  return {
    ...createSessionRow(game, {
      id,
      source: (envelope.source ?? SOURCES.typescript) as SessionSource,
      status: "pending",
      title: envelope.title ?? `${gameVersion} on ${platform}, ${formatTitleTime(clock.recorded_at)}`,
      build: gameVersion,
      metadata: { gameVersion, platform, ...rest },
      environment: envelope.environment,
      testerHandle: envelope.testerHandle,
      clock,
      analysisDue: now + SESSION_IDLE_TIMEOUT_MS,
    }),
    device_id: envelope.deviceId ?? null,
    tester: envelope.deviceId ?? id,
    client_session_id: envelope.clientSessionId ?? null,
    country: envelope.country ?? null,
    region: envelope.region ?? null,
    city: envelope.city ?? null,
  };
}
