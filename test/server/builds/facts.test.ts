/** The facts of a build over the API: testers, sessions, rooms, tags and answers, and which sessions count. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BuildFacts } from "../../../src/contract/build-facts.ts";
import { MAX_ROW_EVIDENCE } from "../../../src/contract/scorecard.ts";
import type { GroupFacts } from "../../../src/scorecard/facts.ts";
import { MAX_ROOMS } from "../../../src/server/analysis/apply-rules.ts";
import { ANALYSIS_VERSION } from "../../../src/server/analysis/version.ts";
import { readRowEvidence } from "../../../src/server/builds/row-evidence-queries.ts";
import { createForm } from "../../../src/server/feedback/forms.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { changeSession, sendTelemetry } from "../telemetry-helpers.ts";

interface Play {
  readonly game?: string;
  readonly build?: string;
  readonly device?: string;
  /** Start, s after NOW. */
  readonly at?: number;
  /** Events 10 s apart, each as `name room`. */
  readonly steps?: readonly string[];
  readonly ended?: boolean;
}

let service: TestService;
const clock = { now: NOW };
let sessions = 0;

async function play({ game = "maze", build = "1", device, at = 0, ...play }: Play): Promise<string> {
  const { steps = ["begin hall"], ended = true } = play;
  sessions += 1;
  return await sendTelemetry(service, {
    ...{ gameId: game, clientSessionId: `s${sessions}`, startedAt: NOW + at * 1000, sessionEnded: ended },
    ...(device === undefined ? {} : { deviceId: device }),
    sessionMetadata: { gameVersion: build },
    events: steps.map((step, n) => {
      const [name = "", ...room] = step.split(" ");
      const data = room.length === 0 ? {} : { room: room.join(" ") };
      return { id: `e${n}`, name, timestamp: NOW + (at + n * 10) * 1000, data };
    }),
  });
}

async function read(build: string, { game = "maze", search = "" } = {}): Promise<BuildFacts> {
  const answer = await service.get(`/api/v1/builds/${game}/${build}/facts${search}`);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.json;
}

beforeAll(async () => {
  service = await startTestService({ clock });
  for (const slug of ["maze", "tide"]) await service.addGame(slug);
});

afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

describe("a session has", () => {
  it("its times, and the outcome of each room in the order of the first visits", async () => {
    await play({ build: "rooms", device: "ann", at: 100, steps: ["begin attic", "quit attic"] });
    const steps = ["begin hall", "death hall", "level_completed hall", "begin attic", "rage_quit attic"];
    await play({ build: "rooms", device: "ann", steps });
    await service.analysis.drain();
    const { testers, game, ...rest } = await read("rooms");
    expect([game.slug, rest]).toEqual([
      "maze",
      {
        ...{ version: "rooms", environment: "production", analysisVersions: [ANALYSIS_VERSION], fields: [] },
        sessions: { open: 0, analyzed: 2, unanalyzed: 0, failed: 0 },
        ...{ hasMore: false, total: 1 },
      },
    ]);
    expect(testers[0]?.sessions.map(({ startSec }) => startSec)).toEqual([0, 100]);
    expect(testers[0]?.sessions[0]).toMatchObject({
      ...{ activeSec: 40, wallSec: 40, analyzed: true, crashed: false, questions: [], answers: [] },
      rooms: [
        {
          room: "hall",
          afterSec: 0,
          activeSec: 30,
          completed: true,
          quit: false,
          gaveUp: false,
          failed: true,
        },
        {
          room: "attic",
          afterSec: 30,
          activeSec: 10,
          completed: false,
          quit: true,
          gaveUp: true,
          failed: false,
        },
      ],
      tags: [],
    });
  });

  it("the rooms that were left last, if there are more than are stored", async () => {
    const levels = Array.from({ length: MAX_ROOMS + 5 }, (_, n) => `level_completed level-${n}`);
    await play({
      build: "long",
      device: "ann",
      steps: [...levels, "begin level-1", "begin end", "death end"],
    });
    await service.analysis.drain();
    const rooms = (await read("long")).testers[0]?.sessions[0]?.rooms ?? [];
    expect(rooms).toHaveLength(MAX_ROOMS);
    expect([rooms[0]?.room, rooms[1]?.room]).toEqual(["level-1", "level-7"]);
    expect(rooms.at(-1)).toMatchObject({ room: "end", quit: true });
  });

  it("one room for all rooms with the same name in tags", async () => {
    await play({
      ...{ build: "merged", device: "ann" },
      steps: ["begin Hall!", "level_completed Hall!", "begin hall", "death hall"],
    });
    await service.analysis.drain();
    expect((await read("merged")).testers[0]?.sessions[0]?.rooms).toEqual([
      { room: "hall", afterSec: 0, activeSec: 30, completed: true, quit: true, gaveUp: false, failed: true },
    ]);
  });

  it("friction tags with the active time at which the friction had shown, and whether it crashed", async () => {
    const deaths = Array.from({ length: 7 }, () => "death hall");
    await play({ build: "tags", device: "ann", steps: ["begin hall", ...deaths, "crash_reported hall"] });
    await service.analysis.drain();
    const [session] = (await read("tags")).testers[0]?.sessions ?? [];
    expect([session?.crashed, session?.rooms[0]?.quit, session?.tags]).toEqual([
      true,
      false,
      [
        { tag: "bug-report:hall", afterSec: 80 },
        { tag: "difficulty-spike:hall", afterSec: 50 },
      ],
    ]);
  });

  it("the answers that are numbers, and which questions were answered", async () => {
    const gameId = (await service.get("/api/v1/games/maze")).json.game.id;
    const form = await createForm(service.service.store.writeDb, service.service, gameId, {
      ...{ name: "Survey", triggerHint: "end", active: true },
      fields: [
        { id: "fun", label: "Fun?", kind: "rating-1-5" },
        { id: "again", label: "Again?", kind: "yes-no" },
        { id: "why", label: "Why?", kind: "long-text" },
      ],
    });
    const sessionId = await play({ build: "answers", device: "ann" });
    const responses = [
      { fieldId: "fun", value: "4" },
      { fieldId: "again", value: "no" },
      { fieldId: "why", value: "My name is Ann" },
    ];
    const body = { requestId: "r1", formId: form.id, sessionId, responses };
    expect((await service.post("/api/telemetry/feedback", body)).status).toBe(200);
    const facts = await read("answers");
    const [fun, again] = [`${form.id}/fun`, `${form.id}/again`];
    expect(facts.testers[0]?.sessions[0]).toMatchObject({
      questions: ["again", "fun", "why"],
      answers: [
        { field: fun, kind: "rating", value: 4 },
        { field: again, kind: "yes-no", value: 0 },
      ],
    });
    expect(facts.fields).toEqual([
      { field: again, formName: "Survey", label: "Again?" },
      { field: fun, formName: "Survey", label: "Fun?" },
    ]);
    expect(JSON.stringify(facts)).not.toMatch(/ann|Ann/);
  });
});

describe("sessions", () => {
  it("that may still receive events are left out and counted, until they have ended by silence", async () => {
    await play({ build: "open", device: "ann", ended: false });
    await play({ build: "open", device: "bob" });
    await service.analysis.drain();
    const facts = await read("open");
    expect([facts.sessions, facts.total, facts.testers.length]).toEqual([
      { open: 1, analyzed: 1, unanalyzed: 0, failed: 0 },
      1,
      1,
    ]);
    clock.now += 31 * 60_000;
    expect((await read("open")).sessions).toEqual({ open: 0, analyzed: 1, unanalyzed: 1, failed: 0 });
    expect((await read("open")).total).toBe(2);
    await service.analysis.drain();
    expect((await read("open")).sessions).toEqual({ open: 0, analyzed: 2, unanalyzed: 0, failed: 0 });
  });

  it("without an analysis of their current data have no rooms and no tags", async () => {
    const steps = ["begin hall", ...Array.from({ length: 6 }, () => "death hall")];
    const ids = [];
    for (const device of ["a", "b", "c", "d"]) ids.push(await play({ build: "unanalyzed", device, steps }));
    await service.analysis.drain();
    const [failed = "", outdated = "", queued = ""] = ids;
    await changeSession(service, failed, { status: "failed" });
    await changeSession(service, outdated, { analysis_version: 2 });
    await changeSession(service, queued, { status: "pending", analysis_due: NOW });
    const { sessions, analysisVersions, testers } = await read("unanalyzed");
    expect(sessions).toEqual({ open: 0, analyzed: 1, unanalyzed: 2, failed: 1 });
    expect(analysisVersions).toEqual([ANALYSIS_VERSION]);
    const known = testers.flatMap(({ sessions }) =>
      sessions.map(({ analyzed, rooms, tags }) => [analyzed, rooms.length, tags.length]),
    );
    expect(known.sort()).toEqual([
      [false, 0, 0],
      [false, 0, 0],
      [false, 0, 0],
      [true, 1, 2],
    ]);
  });
});

describe("a tester", () => {
  it("is the same in all builds of a game, another one in other games, and not known without a device", async () => {
    await play({ build: "who-1", device: "ann" });
    await play({ build: "who-2", device: "ann", at: 100 });
    await play({ build: "who-2", at: 200 });
    await play({ game: "tide", build: "who-2", device: "ann" });
    const ids = async (...args: Parameters<typeof read>) =>
      (await read(...args)).testers.map(({ tester }) => tester);
    const [[first], second, [other]] = [
      await ids("who-1"),
      await ids("who-2"),
      await ids("who-2", { game: "tide" }),
    ];
    expect(first).toMatch(/^hash_[0-9a-f]{32}$/);
    expect(second).toEqual([first, null]);
    expect(other).not.toBe(first);
  });

  it("is returning if they had played another build before", async () => {
    await play({ build: "back-2", device: "veteran", at: 100 });
    await play({ build: "back-2", device: "novice", at: 50 });
    await play({ build: "back-2", at: 200 });
    await play({ build: "back-1", device: "veteran", at: 20 });
    await play({ build: "back-3", device: "novice", at: 300 });
    const { testers } = await read("back-2");
    expect(testers.map(({ isReturning }) => isReturning)).toEqual([false, true, null]);
  });

  it("is observed from their first session to now, and listed in the order of the first sessions", async () => {
    const elapsed = (clock.now - NOW) / 1000;
    await play({ build: "pages", device: "late", at: 60 });
    await play({ build: "pages", device: "early", at: 10 });
    await play({ build: "pages", device: "late", at: 90 });
    const page = await read("pages", { search: "?limit=1&offset=1" });
    expect([page.total, page.hasMore, page.testers.length]).toEqual([2, false, 1]);
    expect(page.testers[0]).toMatchObject({
      observedSec: Math.max(0, elapsed - 60),
      sessions: [{ startSec: 0 }, { startSec: 30 }],
    });
    expect((await read("pages", { search: "?limit=1" })).hasMore).toBe(true);
  });
});

it("returns facts that a scorecard can be computed from", async () => {
  const { testers, analysisVersions } = await read("rooms");
  const group: GroupFacts = { testers, analysisVersions, outcomeVersions: analysisVersions };
  expect(group.testers).toHaveLength(1);
});

it("returns 404 for builds and environments that do not exist", async () => {
  for (const path of ["nosuch/facts", "1/facts?env=nosuch"])
    expect((await service.get(`/api/v1/builds/maze/${path}`)).status).toBe(404);
});

it("sessions that quit in a room are evidence of it: first those that gave up, then those that failed", async () => {
  const quit = (device: string, at: number, ...steps: string[]) =>
    play({ build: "quits", device, at, steps: ["begin hall", ...steps] });
  const quick = await quit("bob", 400, "jump hall");
  const gaveUp = await quit("ann", 0, "rage_quit hall");
  const slow = await quit("cat", 300, "jump hall", "jump hall");
  const failed = await quit("dan", 200, "death hall");
  await service.analysis.drain();
  const { id: gameId } = (await service.get("/api/v1/games/maze")).json.game;
  const build = { gameId, version: "quits", environment: "production" };
  const [found] = await readRowEvidence(service.service.store.readDb, build, [
    { metric: "quit:hall", name: "quit", subject: "hall" },
  ]);
  const expected = [gaveUp, failed, slow, quick];
  expect(found?.sessions.map(({ sessionId }) => sessionId)).toEqual(expected.slice(0, MAX_ROW_EVIDENCE));
});
