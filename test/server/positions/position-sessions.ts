/** Helpers to send sessions with positions, and to select the events that a heatmap includes. */
import { expect } from "vitest";
import { NOW, type TestService } from "../../harness.ts";
import { type SentEvent, sendTelemetry } from "../telemetry-helpers.ts";

/** A session as batches of position data. */
export interface PositionSession {
  readonly source: string;
  readonly build: string;
  readonly env: string;
  readonly batches: readonly (readonly SentEvent["data"][])[];
}

/**
 * Sends sessions to a new game. Returns its slug, and a function that selects the sent events that a heatmap includes,
 * by default from Unity sessions. `nameEvent` returns the name of the n-th event of each session.
 */
export async function sendSessions(
  service: TestService,
  sessions: readonly PositionSession[],
  nameEvent: (n: number) => string = () => "player_pos",
) {
  const slug = `game-${service.ids.next}`;
  await service.addGame(slug);
  const sent: { session: PositionSession; events: SentEvent[] }[] = [];
  for (const [number, session] of sessions.entries()) {
    let id = 0;
    const events: SentEvent[] = [];
    for (const batch of session.batches) {
      const batchEvents = batch.map((data) => ({
        id: `e${id}`,
        name: nameEvent(id),
        timestamp: NOW + ++id,
        ...(data ? { data } : {}),
      }));
      const { source, env: environment, build: gameVersion } = session;
      await sendTelemetry(service, {
        gameId: slug,
        clientSessionId: `s${number}`,
        source,
        environment,
        sessionMetadata: { gameVersion },
        events: batchEvents,
      });
      events.push(...batchEvents);
    }
    sent.push({ session, events });
  }
  const selectEvents = (filter: (session: PositionSession) => boolean, source = "unity-telemetry") =>
    sent
      .filter(({ session }) => (source === "all" || session.source === source) && filter(session))
      .flatMap(({ events }) => events);
  return { slug, selectEvents };
}

/** Requests a heatmap, and returns its rooms and event count. */
export async function readHeatmap(service: TestService, slug: string, search = "") {
  const answer = await service.get(`/api/v1/heatmaps/${slug}${search}`);
  expect(answer.status).toBe(200);
  const { rooms, eventCount } = answer.json;
  return { rooms, eventCount };
}

/** Creates a session that heatmaps include. */
export const unity = (
  batches: PositionSession["batches"],
  more: Partial<PositionSession> = {},
): PositionSession => ({
  source: "unity-telemetry",
  build: "1",
  env: "production",
  batches,
  ...more,
});
