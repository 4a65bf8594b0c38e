/** Plays the demo studio's sessions in, as its game clients would have sent them. */

import { createHash } from "node:crypto";
import { type DemoBody, demoGames, demoTelemetry } from "../../../demo/index.ts";
import { defaultMeanings } from "../../../server/analysis/meanings.ts";
import { ensureGame } from "../../../server/games/games.ts";
import type { AppService } from "../../../server/http/service.ts";
import { ingest } from "../../../server/telemetry/ingest.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/time-units.ts";
import type { LocalService } from "./local.ts";

/** One demo session as it was stored. */
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
  /** Failures by room. */
  readonly failures: Map<string, number>;
}

/** A service whose clock stands at a time, and whose ids are drawn from a name: what the demo does is the same each time. */
export function createDemoService(service: AppService, name: string, now: () => number): AppService {
  let drawn = 0;
  const newId: AppService["newId"] = (kind) => {
    const digest = createHash("sha256").update(`demo/${name}/${kind}/${drawn++}`).digest("hex");
    return `${kind}_${digest.slice(0, 24)}`;
  };
  return { ...service, now, newId };
}

/** What was played in. */
export interface SeededSessions {
  readonly sessions: Map<string, SeededSession>;
  /** How many events were new. */
  readonly events: number;
}

/** Makes the demo's games and plays their sessions in, each at its own time, so that those left open long ago have ended. */
export async function seedSessions(local: LocalService): Promise<SeededSessions> {
  const { service, accountId } = local;
  const now = service.now();
  for (const { slug, name, createdDaysAgo } of demoGames) {
    const createdAt = now - createdDaysAgo * DAY_MS;
    const making = createDemoService(service, `game/${slug}`, () => createdAt);
    await ensureGame(service.store.writeDb, making, accountId, slug, { name, createdAt });
  }
  return await ingestBodies(local, demoTelemetry(now), `play/${Math.floor(now / HOUR_MS)}`);
}

/** Ingests bodies, each at the time of its last event. */
export async function ingestBodies(
  { service, accountId }: LocalService,
  bodies: Iterable<DemoBody>,
  name: string,
): Promise<SeededSessions> {
  const sessions = new Map<string, SeededSession>();
  let events = 0;
  let at = service.now();
  const making = createDemoService(service, name, () => at);
  for (const body of bodies) {
    at = body.events.at(-1)?.timestamp ?? at;
    const receipt = await ingest(making, { accountId, boundGameId: null }, body);
    events += receipt.accepted;
    const session = sessions.get(receipt.sessionId) ?? toSeededSession(receipt.sessionId, body);
    session.endedAt = at;
    countFailures(session, body);
    sessions.set(receipt.sessionId, session);
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
