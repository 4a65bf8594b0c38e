/** The history of a build's testers over the API: sessions, rooms, tags and pages. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.ts";
import { readBuildHistory } from "../../../src/client/play-history.ts";
import type { BuildHistory, TesterHistory } from "../../../src/contract/play-history.ts";
import * as contract from "../../../src/contract/play-history.ts";
import { ANALYSIS_VERSION } from "../../../src/server/analysis/version.ts";
import { createAppTransport, NOW, startTestService, type TestService } from "../../harness.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";

interface Play {
  readonly build?: string;
  readonly device?: string | null;
  readonly environment?: string;
  /** Start, ms after NOW. */
  readonly at?: number;
  /** The rooms entered, one second apart. */
  readonly rooms?: readonly string[];
  /** The rooms that report a crash. */
  readonly crashes?: readonly string[];
}

let service: TestService;
let sessions = 0;

async function play({ build = "1", device = null, at = 0, ...play }: Play): Promise<void> {
  const { environment = "production", rooms = [], crashes = [] } = play;
  const named = [
    ...rooms.map((room) => ({ name: "level_started", room })),
    ...crashes.map((room) => ({ name: "crash_reported", room })),
  ];
  sessions += 1;
  await sendTelemetry(service, {
    gameId: "maze",
    environment,
    clientSessionId: `s${sessions}`,
    startedAt: NOW + at,
    sessionEnded: true,
    sessionMetadata: { gameVersion: build },
    ...(device === null ? {} : { deviceId: device }),
    events: named.map(({ name, room }, n) => ({
      id: `e${n}`,
      name,
      timestamp: NOW + at + n * 1000,
      data: { room },
    })),
  });
}

async function read(search = "", build = "1"): Promise<BuildHistory> {
  const answer = await service.get(`/api/v1/builds/maze/${build}/exposure${search}`);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.json;
}

const roomsOf = ({ sessions }: TesterHistory) => sessions.map(({ rooms }) => rooms.map(({ room }) => room));

beforeAll(async () => {
  service = await startTestService();
  await service.addGame("maze");
  await play({ device: "ann", at: 5000, rooms: ["Hall"], crashes: ["Hall"] });
  await play({ device: "ann", at: 1000, rooms: ["Great Hall!", "hall", "Hall"] });
  await play({ device: null, at: 3000 });
  await play({ device: "bob", at: 2000, rooms: ["cellar"] });
  await play({ device: "bob", at: 9000, environment: "staging", rooms: ["attic"] });
  await play({ build: "2", device: "ann", rooms: ["attic"] });
  const long = "a very long room name ".repeat(6);
  await play({ build: "long", device: "ann", rooms: [long], crashes: [long] });
  await service.analysis.drain();
});

afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

describe("GET /api/v1/builds/{game}/{version}/exposure", () => {
  it("lists testers by first session, and their sessions by recordedAt", async () => {
    const { game, testers, ...rest } = await read();
    expect([game.slug, rest]).toEqual([
      "maze",
      {
        version: "1",
        environment: "production",
        analysisVersions: [ANALYSIS_VERSION],
        hasMore: false,
        total: 3,
      },
    ]);
    expect(testers.map(({ anonymous }) => anonymous)).toEqual([false, false, true]);
    expect(testers.map(roomsOf)).toEqual([[["great-hall", "hall"], ["hall"]], [["cellar"]], [[]]]);
    expect(testers[0]?.sessions[1]).toEqual({
      activeSec: 1,
      wallSec: 1,
      bugReports: 1,
      rooms: [{ room: "hall", activeSec: 1 }],
      questions: [],
      tags: ["bug-report:hall"],
    });
  });

  it("adds the times in rooms that have the same name in tags", async () => {
    const { testers } = await read();
    expect(testers[0]?.sessions[0]).toMatchObject({
      activeSec: 2,
      rooms: [
        { room: "great-hall", activeSec: 1 },
        { room: "hall", activeSec: 1 },
      ],
    });
  });

  it("does not name testers, devices or sessions", async () => {
    expect(JSON.stringify(await read())).not.toMatch(/ann|bob|session_/);
  });

  it("reads one environment, or all of them", async () => {
    const staging = await read("?env=staging");
    expect([staging.total, staging.testers.map(roomsOf)]).toEqual([1, [[["attic"]]]]);
    const all = await read("?env=all");
    expect(all.testers.map(roomsOf)).toContainEqual([["cellar"], ["attic"]]);
    const unknown = await service.get(`/api/v1/builds/maze/1/exposure?env=nowhere`);
    expect([unknown.status, unknown.json]).toEqual([
      404,
      expect.objectContaining({ reason: "unknown_environment" }),
    ]);
  });

  it("returns pages of testers", async () => {
    const { testers } = await read();
    const pages = await Promise.all([read("?limit=2"), read("?limit=2&offset=2"), read("?limit=9999")]);
    expect(pages.map(({ testers, hasMore, total }) => [testers.length, hasMore, total])).toEqual([
      [2, true, 3],
      [1, false, 3],
      [3, false, 3],
    ]);
    expect(pages.slice(0, 2).flatMap((page) => page.testers)).toEqual(testers);
    expect((await read("?offset=3")).testers).toEqual([]);
  });

  it("names a long room as its tags do", async () => {
    const { testers } = await read("", "long");
    const [session] = testers[0]?.sessions ?? [];
    const [room = "", tag = ""] = [session?.rooms[0]?.room, session?.tags[0]];
    expect(tag.startsWith(`bug-report:${room}`)).toBe(true);
    expect(room.length).toBeGreaterThan(50);
  });

  it("is read completely by the client, page by page", async () => {
    const client = createClient(contract, {
      baseUrl: "http://127.0.0.1:4400",
      key: service.keys.management,
      transport: createAppTransport(service.app),
      waiting: { sleep: async () => {}, random: () => 0, onWait: () => {} },
      timeoutMs: 1000,
      maxWaitMs: 0,
    });
    const limited = (input: Parameters<typeof client.getBuildExposure>[0]) =>
      client.getBuildExposure({ ...input, limit: 1 });
    const history = await readBuildHistory(limited, { game: "maze", version: "1" });
    expect(history).toEqual(await read());
  });
});
