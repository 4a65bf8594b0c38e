/** A client in C#, compiled and run with mono, that sends the same requests as an SDK for a game engine. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freshFolder } from "../harness.ts";
import { type GameService, startGameService } from "../server/sdk-exchanges/game-service.ts";
import { readSession } from "../server/telemetry-helpers.ts";

const run = promisify(execFile);
const program = join(freshFolder(), "SdkShapes.exe");
let games: GameService;

beforeAll(async () => {
  games = await startGameService();
  await run("mcs", [`-out:${program}`, join(import.meta.dirname, "SdkShapes.cs")]);
});

afterAll(() => games.stop());

it("gets the responses that SDKs read", async () => {
  const { service, server, key, values } = games;
  const { stdout } = await run("mono", [program, server.url, key]);
  const answers = new Map(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => {
        const [name = "", status = "", body = ""] = line.split("\t");
        return [name, { status: Number(status), body: JSON.parse(body) }];
      }),
  );
  const sessionId = answers.get("create")?.body.sessionId;
  const bugReportId = answers.get("bug report")?.body.bugReportId;
  const experiment = values.experiment ?? "";
  expect(Object.fromEntries(answers)).toMatchObject({
    resolve: { status: 200, body: { gameId: values.game, slug: "maze", name: "Maze" } },
    config: { status: 200, body: { events: [{ eventName: "spam" }], game: { crashesEnabled: true } } },
    experiments: { status: 200, body: { config: { [experiment]: { speed: expect.any(Number) } } } },
    tester: { status: 200, body: { linked: false, handle: null } },
    create: { status: 202, body: { sessionId: expect.stringMatching(/^sess_/), accepted: 1 } },
    repeat: { status: 202, body: { sessionId, accepted: 0, duplicates: 1 } },
    append: { status: 202, body: { sessionId, accepted: 1, rejected: [] } },
    "opt-out": { status: 202, body: { sessionId: null, accepted: 0, duplicates: 0, rejected: [] } },
    "bug report": { status: 200, body: { ok: true, idempotent: false } },
    "bug report again": { status: 200, body: { ok: true, bugReportId, idempotent: true } },
    "unknown session": { status: 404, body: { reason: "unknown_session" } },
  });
  const { session } = await readSession(service, sessionId);
  expect(session).toMatchObject({
    source: "unity-telemetry",
    environment: "dev",
    metadata: { gameVersion: "0.9.0", platform: "LinuxPlayer" },
    event_counts: { session_start: 1, player_pos: 1 },
  });
  expect((await service.get("/api/v1/heatmaps/maze")).json).toMatchObject({ eventCount: 1 });
  expect(service.faults).toEqual([]);
});
