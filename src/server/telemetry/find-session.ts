/** Finds or creates the session of a telemetry batch. */
import { createHash } from "node:crypto";
import { UNKNOWN_BUILD, UNKNOWN_PLATFORM } from "../../contract/fields.ts";
import type { SessionSource } from "../../contract/sessions.ts";
import { metadataFields, type TelemetryEnvelope } from "../../contract/telemetry.ts";
import { EVENTS } from "../../shared/event-names.ts";
import { SOURCES } from "../../shared/session-sources.ts";
import { unknownName } from "../core/http-errors.ts";
import { keyedHash, toDailyText } from "../db/keyed-hash.ts";
import { toQuarantined } from "../db/quarantined-ids.ts";
import type { Db, GameRow, SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { isComplete } from "../db/sharding.ts";
import { findLinkedHandle, isLinkedElsewhere } from "../ids/tester-queries.ts";
import { findClientSession, hashClientSession } from "../sessions/client-session.ts";
import { SESSION_IDLE_TIMEOUT_MS } from "../sessions/durations.ts";
import { createSessionRow, type NewSessionRow, resolveClock } from "../sessions/new-session.ts";
import { insertSession, lockGameSession, lockReceivingSession } from "../sessions/session-queries.ts";
import { formatTitleTime } from "../sessions/sessions.ts";
import { isHeldByErased, rejectErasedCreation, rejectErasedSession } from "../sessions/tombstone-queries.ts";
import { findFirstTime, type TelemetryEvent } from "./event-names.ts";

/** The columns of a session that processing a batch needs. */
export type OpenSession = Omit<SessionRow, "item" | "search" | "transcript">;

/** Decides whether a request may write to a session, or create it. Throws to refuse it. */
export interface SessionAdmission {
  /** The network of the address of the sender; null if it is unknown. */
  readonly network: string | null;
  /** Returns false if a new session is not to be created. */
  admit(session: OpenSession, isNew: boolean): Promise<boolean>;
}

/**
 * Finds the session by the id or client session id of the envelope and its device, or creates it. The row is locked until the transaction
 * ends. `events` are the valid events of the envelope. Throws `not_found` for an unknown id, and `conflict` if the session
 * was erased. `admission` may refuse the session, before anything is written. Returns null if it does not want a new one.
 */
export async function findOrCreateSession(
  db: Db,
  service: Service,
  game: GameRow,
  envelope: TelemetryEnvelope,
  events: readonly TelemetryEvent[],
  admission: SessionAdmission,
): Promise<OpenSession | null> {
  const { sessionId, clientSessionId } = envelope;
  if (sessionId !== undefined) {
    const row = await lockReceivingSession(db, game.id, sessionId);
    if (row) {
      await admission.admit(row, false);
      return row;
    }
    await rejectErasedSession(db, sessionId);
    throw unknownName("unknown_session", sessionId);
  }
  const { found, isTaken } = await findByClientId(db, game, envelope);
  if (found) {
    await admission.admit(found, false);
    return found;
  }
  const row = {
    ...buildSessionRow(service, game, await withLinkedHandle(db, game, envelope), events),
    ...(isTaken ? identifyByDevice(envelope) : {}),
    address_hash: await hashAddress(db, admission.network, service.now()),
  };
  // What arrives late for a quarantined session stays with it.
  const quarantined =
    clientSessionId === undefined &&
    isComplete(db) &&
    (await findByCreation(db, { ...row, game_id: toQuarantined(game.id) }));
  if (quarantined) {
    await admission.admit(quarantined, false);
    return quarantined;
  }
  if (!(await admission.admit(row, true))) return null;
  if (await insertSession(db, row)) {
    // After the insertion, which waits for an erasure in progress. The error rolls it back.
    await rejectErasedCreation(db, row, findStart(row, envelope, events) ?? service.now());
    return row;
  }
  // The request is a repeat, or another server has created the session in the meantime.
  const repeated =
    clientSessionId === undefined
      ? { found: await findByCreation(db, row), isTaken: false }
      : await findByClientId(db, game, envelope);
  if (repeated.found) return repeated.found;
  if (!repeated.isTaken || isTaken) throw new Error(`The session ${row.id} can be neither created nor found`);
  // Another device has created it.
  return await findOrCreateSession(db, service, game, envelope, events, admission);
}

/** When a session started, unix ms, with a correction that the client sent; null if it did not say. */
function findStart(
  { clock_shift, shift_sent }: Pick<SessionRow, "clock_shift" | "shift_sent">,
  { startedAt }: TelemetryEnvelope,
  events: readonly TelemetryEvent[],
): number | null {
  const start = startedAt ?? findFirstTime(events);
  return start === null ? null : start + (shift_sent === 1 ? (clock_shift ?? 0) : 0);
}

/**
 * Finds the session of a client session id, which may be quarantined. While a node is down, it does not look for a quarantined one: a
 * game must not depend on the node of its quarantine.
 */
async function findByClientId(
  db: Db,
  game: GameRow,
  { clientSessionId, deviceId }: TelemetryEnvelope,
): ReturnType<typeof findClientSession> {
  const none = { found: undefined, isTaken: false };
  if (clientSessionId === undefined) return none;
  const ids = { clientSessionId, deviceId };
  const { found, isTaken } = await findClientSession(db, game.id, ids);
  if (found) return { found, isTaken };
  const quarantined = isComplete(db) ? await findClientSession(db, toQuarantined(game.id), ids) : none;
  if (quarantined.found) return quarantined;
  const isHeld = isTaken || quarantined.isTaken;
  const isNew = !isHeld && deviceId !== undefined;
  return {
    found: undefined,
    isTaken: isNew ? await isHeldByErased(db, game.id, clientSessionId, deviceId) : isHeld,
  };
}

/** The columns that identify the session of a device whose client session id another device has. */
function identifyByDevice({ clientSessionId, deviceId }: TelemetryEnvelope) {
  if (clientSessionId === undefined || deviceId === undefined) return {};
  return { client_session_id: null, creation_hash: hashClientSession(clientSessionId, deviceId) };
}

/** Whether the session of a request does not have its client session id, because it belongs to another device. */
export function hasSharedId(
  { sessionId, clientSessionId }: TelemetryEnvelope,
  { client_session_id }: Pick<SessionRow, "client_session_id">,
): boolean {
  return sessionId === undefined && clientSessionId !== undefined && clientSessionId !== client_session_id;
}

/**
 * Adds the handle that the device is linked to, unless the client sent another one. Everybody can send any handle, so one that
 * another device is linked to does not count.
 */
async function withLinkedHandle(db: Db, game: GameRow, { testerHandle, ...envelope }: TelemetryEnvelope) {
  const { deviceId } = envelope;
  if (testerHandle !== undefined && !(await isLinkedElsewhere(db, game.id, testerHandle, deviceId)))
    return { ...envelope, testerHandle };
  const linked = deviceId === undefined ? null : await findLinkedHandle(db, game.id, deviceId);
  return linked === null ? envelope : { ...envelope, testerHandle: linked };
}

/** Hashes the network of an address with the UTC day. */
async function hashAddress(db: Db, network: string | null, now: number): Promise<string | null> {
  if (network === null) return null;
  return await keyedHash(db, toDailyText("address", now, network));
}

/** Finds the session that prevents a new one from being stored. */
async function findByCreation(
  db: Db,
  { game_id, client_session_id, creation_hash }: NewSessionRow,
): Promise<OpenSession | undefined> {
  if (client_session_id !== null)
    return await lockGameSession(db, game_id, "client_session_id", client_session_id);
  return creation_hash === null
    ? undefined
    : await lockGameSession(db, game_id, "creation_hash", creation_hash);
}

/**
 * Hashes what identifies a request that creates a session: its device, build, environment and first event. If the response
 * is lost, a client sends the same events again, perhaps followed by new ones, which may name another build. The time of
 * the event distinguishes the sessions of clients whose event ids are only unique within a session. The build and
 * environment distinguish test runs that send the same events.
 */
function hashCreation(
  { clientSessionId, deviceId, sessionMetadata }: TelemetryEnvelope,
  environment: string,
  [first]: readonly TelemetryEvent[],
): string | null {
  if (clientSessionId !== undefined || deviceId === undefined || !first) return null;
  const build = sessionMetadata?.gameVersion ?? readStartMetadata([first]).gameVersion;
  const identity = [deviceId, build, environment, first.id, first.name, first.timestamp];
  return createHash("sha256").update(JSON.stringify(identity)).digest("base64url");
}

function buildSessionRow(
  service: Service,
  game: GameRow,
  envelope: TelemetryEnvelope,
  events: readonly TelemetryEvent[],
) {
  const now = service.now();
  const id = service.newId("sess");
  const start = readStartMetadata(events);
  const {
    gameVersion = start.gameVersion,
    platform = start.platform,
    ...rest
  } = envelope.sessionMetadata ?? {};
  const clock = resolveClock(
    {
      startedAt: envelope.startedAt ?? null,
      firstEventAt: findFirstTime(events),
      offsetMs: envelope.clockOffsetMs ?? null,
    },
    now,
  );
  const row = createSessionRow(game, {
    id,
    source: (envelope.source ?? SOURCES.typescript) as SessionSource,
    status: "pending",
    hasSentTitle: envelope.title !== undefined,
    title: envelope.title ?? formatDefaultTitle(gameVersion, platform, clock.recorded_at),
    build: gameVersion,
    metadata: { gameVersion, platform, ...rest },
    environment: envelope.environment,
    testerHandle: envelope.testerHandle,
    clock,
    analysisDue: now + SESSION_IDLE_TIMEOUT_MS,
  });
  return {
    ...row,
    device_id: envelope.deviceId ?? null,
    tester: envelope.deviceId ?? id,
    client_session_id: envelope.clientSessionId ?? null,
    creation_hash: hashCreation(envelope, row.environment, events),
    country: envelope.country ?? null,
    region: envelope.region ?? null,
    city: envelope.city ?? null,
  };
}

/** Whether the client sent the title of a session. Sessions from before this was stored are recognized by their title. */
export function hasSentTitle({ title, title_sent, metadata, recorded_at }: SessionRow): boolean {
  if (title_sent !== null) return title_sent === 1;
  const { gameVersion, platform } = JSON.parse(metadata) as { gameVersion: string; platform: string };
  return title !== formatDefaultTitle(gameVersion, platform, recorded_at);
}

/** The title of a session whose client sent none, until its analysis, such as `0.9.0 on unknown platform, 2026-03-01T12:00Z`. */
function formatDefaultTitle(build: string, platform: string, recordedAt: number): string {
  const buildName = build === UNKNOWN_BUILD ? "unknown build" : build;
  const platformName = platform === UNKNOWN_PLATFORM ? "unknown platform" : platform;
  return `${buildName} on ${platformName}, ${formatTitleTime(recordedAt)}`;
}

/** The names under which SDKs send the version of the game, most specific first. */
const VERSION_FIELDS = ["gameVersion", "buildVersion", "appVersion", "version"];

/** Reads the build and platform from the events that create a session; `unknown` if they do not contain them. */
function readStartMetadata(events: readonly TelemetryEvent[]) {
  const data = events.find(({ name }) => name === EVENTS.start)?.data ?? {};
  const read = (fields: readonly string[], schema: typeof metadataFields.platform) => {
    for (const field of fields) {
      const value = data[field];
      const parsed = schema.safeParse(typeof value === "number" ? String(value) : value);
      if (parsed.success && parsed.data !== undefined) return parsed.data;
    }
    return undefined;
  };
  return {
    gameVersion: read(VERSION_FIELDS, metadataFields.gameVersion) ?? UNKNOWN_BUILD,
    platform: read(["platform"], metadataFields.platform) ?? UNKNOWN_PLATFORM,
  };
}
