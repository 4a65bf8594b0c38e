/** Heatmaps during compaction and ingest, from two services on one database, equal a recomputation. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findKeysWithChunks, moveChunks } from "../../../src/server/positions/block-queries.ts";
import { freshFolder, NOW, startTestService, type TestService } from "../../harness.ts";
import fc from "../../property.ts";
import { type SentEvent, sendTelemetry } from "../telemetry-helpers.ts";
import { naiveHeatmap } from "./naive-heatmap.ts";
import { readHeatmap } from "./position-sessions.ts";

let services: readonly [TestService, TestService];

beforeAll(async () => {
  const database = join(freshFolder(), "play.db");
  const first = await startTestService({ database });
  // SQLite waits for a write of the other service synchronously, which would never end in the same process.
  await first.analysis.drain();
  const second = await startTestService({ database, continues: first });
  await second.analysis.drain();
  services = [first, second];
});

afterAll(async () => {
  for (const service of services) expect(service.faults).toEqual([]);
  for (const service of services.toReversed()) await service.stop();
});

const BUILDS = ["1.0", "1.1"];
const ENVIRONMENTS = ["production", "staging"];

/** Creates a session by its number, which determines its build, environment and source. */
const createSession = (n: number) => ({
  clientSessionId: `s${n}`,
  source: n === 7 ? "godot-telemetry" : "unity-telemetry",
  environment: ENVIRONMENTS[n % 2] ?? "",
  sessionMetadata: { gameVersion: BUILDS[(n >> 1) % 2] },
});

/** Mostly within the bounds of the first points, so that cached counts stay valid. */
const coordinate = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: 0, max: 64 }).map((n) => n / 2) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 33, -0, 1e300, -1.7e308) },
);
const point = fc.record({
  x: coordinate,
  y: coordinate,
  room: fc.constantFrom("hall", "docks", "__proto__"),
});
const at = fc.nat(1);
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      at,
      session: fc.nat(7),
      points: fc.array(point, { minLength: 1, maxLength: 20 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ at, minChunks: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      at,
      build: fc.constantFrom(undefined, ...BUILDS),
      env: fc.constantFrom(undefined, "all", ...ENVIRONMENTS),
    }),
  },
);
/** The corners are sent first, so that most later points do not change the bounds. */
const corners = ["hall", "docks"].flatMap((room) => [
  { x: 0, y: 0, room },
  { x: 32, y: 32, room },
]);

interface Sent {
  readonly session: ReturnType<typeof createSession>;
  readonly events: SentEvent[];
}

interface Filter {
  readonly build?: string | undefined;
  readonly env?: string | undefined;
}

function expected(sent: readonly Sent[], { build, env = "all" }: Filter) {
  const included = sent.filter(
    ({ session }) =>
      session.source === "unity-telemetry" &&
      (build === undefined || session.sessionMetadata.gameVersion === build) &&
      (env === "all" || session.environment === env),
  );
  return naiveHeatmap(included.flatMap(({ events }) => events));
}

const formatQuery = ({ build, env }: Filter) =>
  `?${new URLSearchParams({ ...(build ? { build } : {}), ...(env ? { env } : {}) })}`;

/** A game, and all events that were sent to it. */
class Game {
  readonly #slug: string;
  readonly #id: string;
  readonly #sent: Sent[] = [];
  #events = 0;

  constructor(slug: string, id: string) {
    this.#slug = slug;
    this.#id = id;
  }

  async send(service: TestService, n: number, points: readonly Record<string, unknown>[]): Promise<void> {
    const session = createSession(n);
    const events = points.map((data) => {
      const id = `e${this.#events++}`;
      return { id, name: "player_pos", timestamp: NOW, data };
    });
    await sendTelemetry(service, { gameId: this.#slug, ...session, events });
    this.#sent.push({ session, events });
  }

  async move(service: TestService, minChunks: number): Promise<void> {
    const { store } = service.service;
    for (const key of await findKeysWithChunks(store.readDb, minChunks)) {
      if (key.game_id === this.#id) await store.write((db) => moveChunks(db, key, minChunks));
    }
  }

  async compare(service: TestService, filter: Filter): Promise<void> {
    const answer = await readHeatmap(service, this.#slug, formatQuery(filter));
    expect(answer).toStrictEqual(expected(this.#sent, filter));
  }
}

it("equals the recomputation after any batches, compactions and requests, at either service", async () => {
  let games = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const slug = `game-${games++}`;
      const game = new Game(slug, await services[0].addGame(slug));
      for (const n of [0, 1, 2, 3]) await game.send(services[0], n, corners);
      for (const step of steps) {
        const service = services[step.at === 0 ? 0 : 1];
        if ("points" in step) await game.send(service, step.session, step.points);
        else if ("minChunks" in step) await game.move(service, step.minChunks);
        else await game.compare(service, step);
      }
      for (const service of services) await game.compare(service, {});
    }),
    { numRuns: 60 },
  );
});
