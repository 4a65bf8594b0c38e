/** Ingests the sessions of the demo studio, as its game clients would have sent them. */
import { createHash } from "node:crypto";
import { type DemoBody, demoGames, demoTelemetry, findDemoTime } from "../../../demo/index.ts";
import { defaultMeanings } from "../../../server/analysis/meanings.ts";
import { findGame } from "../../../server/games/game-queries.ts";
import { ensureGame } from "../../../server/games/games.ts";
import type { AppService } from "../../../server/http/service.ts";
import { ingest } from "../../../server/telemetry/ingest.ts";
import { DAY_MS } from "../../../shared/time-units.ts";
import { fail } from "../../errors.ts";
import type { LocalService } from "./local.ts";

export interface SeededSession {
  readonly id: string;
  readonly clientSessionId: string;
  readonly game: string;
  readonly handle: string | null;
  readonly deviceId: string | null;
  readonly country: string | null;
  readonly build: string;
  /** Unix ms of its last event. */
  endedAt: number;
  readonly failures: Map<string, number>;
}

/**
 * A service with its own clock and with ids derived from a name, so that every run creates the same data. It wakes no analysis:
 * one that begins before all sessions are stored has to be repeated, because the usual times of rooms change with each session.
 */
export function createDemoService(service: AppService, name: string, now: () => number): AppService {
  let idCount = 0;
  const newId = (kind: string) => createDemoId(name, kind, idCount++);
  return { ...service, now, newId, wakeAnalysis: () => {} };
}

function createDemoId(name: string, kind: string, index: number): string {
  const digest = createHash("sha256").update(`demo/${name}/${kind}/${index}`).digest("hex");
  return `${kind}_${digest.slice(0, 24)}`;
}

/**
 * Throws `conflict` if the account has a game with the slug of a demo game that is not the demo game itself. The demo data
 * would otherwise be mixed into the data of that game.
 */
export async function requireDemoSlugs({ service, accountId, database }: LocalService): Promise<void> {
  for (const { slug } of demoGames) {
    const game = await findGame(service.store.readDb, accountId, slug);
    if (game === undefined || game.id === createDemoId(`game/${slug}`, "game", 0)) continue;
    throw fail("conflict", {
      message: `${database} already has a game ${JSON.stringify(slug)} that is not the demo game`,
      hint: "Add the demo data to another database, for example with --database demo.db.",
    });
  }
}

interface SeededSessions {
  readonly sessions: Map<string, SeededSession>;
  /** The number of new events. */
  readonly events: number;
}

/** Creates the demo games and ingests their sessions, each at its own time, so that old unfinished sessions count as ended. */
export async function seedSessions(local: LocalService): Promise<SeededSessions> {
  const { service, accountId } = local;
  const now = service.now();
  const demoTime = findDemoTime(now);
  for (const { slug, name, createdDaysAgo } of demoGames) {
    const createdAt = demoTime - createdDaysAgo * DAY_MS;
    const demoService = createDemoService(service, `game/${slug}`, () => createdAt);
    await ensureGame(service.store.writeDb, demoService, accountId, slug, { name, createdAt });
  }
  return await ingestBodies(local, demoTelemetry(now));
}

/** Ingests telemetry bodies, each at the time of its last event. */
export async function ingestBodies(
  { service, accountId }: LocalService,
  bodies: Iterable<DemoBody>,
): Promise<SeededSessions> {
  const sessions = new Map<string, SeededSession>();
  let events = 0;
  for (const body of bodies) {
    const now = body.events.at(-1)?.timestamp ?? body.startedAt;
    const demoService = createDemoService(service, `session/${body.clientSessionId}`, () => now);
    const receipt = await ingest(demoService, { accountId, boundGameId: null }, body);
    events += receipt.accepted;
    const { sessionId } = receipt;
    if (sessionId === null) continue;
    const session = sessions.get(sessionId) ?? toSeededSession(sessionId, body);
    session.endedAt = now;
    countFailures(session, body);
    sessions.set(sessionId, session);
  }
  return { sessions, events };
}

function toSeededSession(id: string, body: DemoBody): SeededSession {
  return {
    id,
    clientSessionId: body.clientSessionId,
    game: body.gameId,
    handle: body.testerHandle ?? null,
    deviceId: body.deviceId ?? null,
    country: body.country ?? null,
    build: body.sessionMetadata?.gameVersion ?? "unknown",
    endedAt: body.startedAt,
    failures: new Map(),
  };
}

function countFailures({ failures }: SeededSession, { events }: DemoBody): void {
  for (const { name, data } of events) {
    if (!defaultMeanings.failure.has(name) || typeof data?.room !== "string") continue;
    failures.set(data.room, (failures.get(data.room) ?? 0) + 1);
  }
}
