/** Finds or creates the session of a telemetry batch. */
import { UNKNOWN_BUILD, UNKNOWN_PLATFORM } from "../../contract/fields.ts";
import type { SessionSource } from "../../contract/sessions.ts";
import type { TelemetryEnvelope } from "../../contract/telemetry.ts";
import { SOURCES } from "../../shared/session-sources.ts";
import { unknownName } from "../core/unknown-name.ts";
import type { Db, GameRow, SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { createSessionRow } from "../sessions/new-session.ts";
import { insertSession, lockGameSession } from "../sessions/queries.ts";
import { resolveClock } from "../sessions/session-clock.ts";
import { formatTitleTime } from "../sessions/sessions.ts";
import { findFirstTime, type TelemetryEvent } from "./events.ts";

/** A session without new events counts as ended after this time, ms. */
export const SESSION_IDLE_TIMEOUT_MS = 30 * 60 * 1000;

/** The columns of a session that processing a batch needs. */
export type OpenSession = Omit<SessionRow, "item" | "search" | "transcript">;

/**
 * Finds the session by the id or client session id of the envelope, or creates it. The row is locked until the transaction
 * ends. `events` are the valid events of the envelope. Throws `not_found` for an unknown id.
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
    if (!row) throw unknownName("unknown_session", sessionId);
    return row;
  }
  const findByClientId = async () =>
    clientSessionId === undefined
      ? undefined
      : await lockGameSession(db, game.id, "client_session_id", clientSessionId);
  const existing = await findByClientId();
  if (existing) return existing;
  const row = buildSessionRow(service, game, envelope, events);
  if (await insertSession(db, row)) return row;
  // Another server has created the session in the meantime.
  const concurrent = await findByClientId();
  if (!concurrent) throw new Error(`The session ${clientSessionId} can be neither created nor found`);
  return concurrent;
}

function buildSessionRow(
  service: Service,
  game: GameRow,
  envelope: TelemetryEnvelope,
  events: readonly TelemetryEvent[],
) {
  const now = service.now();
  const id = service.newId("sess");
  const {
    gameVersion = UNKNOWN_BUILD,
    platform = UNKNOWN_PLATFORM,
    ...rest
  } = envelope.sessionMetadata ?? {};
  const clock = resolveClock(envelope.startedAt ?? null, now, findFirstTime(events));
  return {
    ...createSessionRow(game, {
      id,
      source: (envelope.source ?? SOURCES.typescript) as SessionSource,
      status: "pending",
      title: envelope.title ?? formatDefaultTitle(gameVersion, platform, clock.recorded_at),
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

/** The title of a session whose client sent none, such as `0.9.0 on unknown platform, 2026-03-01T12:00Z`. */
function formatDefaultTitle(build: string, platform: string, recordedAt: number): string {
  const buildName = build === UNKNOWN_BUILD ? "unknown build" : build;
  const platformName = platform === UNKNOWN_PLATFORM ? "unknown platform" : platform;
  return `${buildName} on ${platformName}, ${formatTitleTime(recordedAt)}`;
}
