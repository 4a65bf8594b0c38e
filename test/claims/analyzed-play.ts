/** Sends recorded sessions to a service and reads the insights of each session through the API. */
import type { InsightWithClaims } from "../../src/contract/insights.ts";
import { startTestService, type TestService } from "../harness.ts";
import { joinSessions, type PlayBody, type PlaySession } from "./recording.ts";

const DAY_MS = 86_400_000;

/** A session and what the service found in it. */
export interface AnalyzedSession {
  readonly id: string;
  readonly play: PlaySession;
  readonly insights: readonly InsightWithClaims[];
}

/** Settings of a recording that are no telemetry. */
export interface PlayOptions {
  /** Meanings of event names by game. */
  readonly meanings?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Called after the telemetry was sent, before the analysis. */
  readonly setUp?: (service: TestService, ids: ReadonlyMap<PlaySession, string>) => Promise<void>;
}

/** Sends each body at the time of its last event, as a game would, and analyzes all sessions. */
export async function analyzePlay(
  bodies: readonly PlayBody[],
  options: PlayOptions = {},
): Promise<AnalyzedSession[]> {
  const service = await startTestService({ clock: { now: 0 } });
  try {
    const sessions = joinSessions(bodies);
    for (const game of new Set(sessions.map(({ first }) => first.gameId))) await service.addGame(game);
    const ids = new Map<PlaySession, string>();
    for (const play of sessions) ids.set(play, await sendSession(service, play));
    await options.setUp?.(service, ids);
    service.clock.now += DAY_MS;
    await service.analysis.drain();
    const analyzed: AnalyzedSession[] = [];
    for (const [play, id] of ids) {
      const { status, json } = await service.get(`/api/v1/sessions/${id}`);
      if (status !== 200) throw new Error(`Session ${id} was answered with ${status}`);
      if (json.session.status !== "analyzed") throw new Error(`Session ${id} is ${json.session.status}`);
      analyzed.push({ id, play, insights: json.insights });
    }
    if (service.faults.length > 0) throw new Error(`The service reported ${String(service.faults[1])}`);
    return analyzed;
  } finally {
    await service.stop();
  }
}

async function sendSession(service: TestService, play: PlaySession): Promise<string> {
  let id = "";
  for (const body of play.bodies) {
    const sentAt = Math.max(...body.events.map(({ timestamp }) => timestamp), body.startedAt ?? 0);
    service.clock.now = Math.max(service.clock.now, sentAt);
    const { status, text, json } = await service.post("/api/telemetry", body);
    if (status !== 202 || json.rejected.length > 0 || json.warnings) throw new Error(`${status} ${text}`);
    if (id !== "" && id !== json.sessionId) throw new Error(`The session ${id} was split`);
    id = json.sessionId;
  }
  return id;
}
