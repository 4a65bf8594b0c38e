/** Sessions of positions: how they are sent, and which of their events a heatmap must take. */
import { expect } from "vitest";
import { NOW, type TestService } from "../../harness.ts";
import { play, type SentEvent } from "../play.ts";

/** One session: batches of position data. */
export interface Sitting {
  readonly source: string;
  readonly build: string;
  readonly env: string;
  readonly batches: readonly (readonly SentEvent["data"][])[];
}

/** Plays sittings in a new game; answers the game and the events of those that a filter takes. */
export async function playAll(service: TestService, sittings: readonly Sitting[]) {
  const slug = `game-${service.ids.next}`;
  await service.addGame(slug);
  const sent: { sitting: Sitting; events: SentEvent[] }[] = [];
  for (const [number, sitting] of sittings.entries()) {
    let id = 0;
    const events: SentEvent[] = [];
    for (const batch of sitting.batches) {
      const some = batch.map((data) => ({
        id: `e${id++}`,
        name: "player_pos",
        timestamp: NOW + id,
        ...(data ? { data } : {}),
      }));
      const { source, env: environment, build: gameVersion } = sitting;
      await play(service, {
        gameId: slug,
        clientSessionId: `s${number}`,
        source,
        environment,
        sessionMetadata: { gameVersion },
        events: some,
      });
      events.push(...some);
    }
    sent.push({ sitting, events });
  }
  const taken = (filter: (sitting: Sitting) => boolean) =>
    sent
      .filter(({ sitting }) => sitting.source === "unity-telemetry" && filter(sitting))
      .flatMap(({ events }) => events);
  return { slug, taken };
}

/** What a heatmap tells beside its game. */
export async function heatmapOf(service: TestService, slug: string, search = "") {
  const answer = await service.get(`/api/v1/heatmaps/${slug}${search}`);
  expect(answer.status).toBe(200);
  const { rooms, eventCount } = answer.json;
  return { rooms, eventCount };
}

/** A session that the heatmap takes. */
export const unity = (batches: Sitting["batches"], more: Partial<Sitting> = {}): Sitting => ({
  source: "unity-telemetry",
  build: "1",
  env: "production",
  batches,
  ...more,
});
