/** What a comparison adds to the friction diff: who could meet each tag, ratings, and completed rooms. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BuildFacts } from "../../../src/contract/build-facts.ts";
import type { BuildComparison } from "../../../src/contract/builds.ts";
import { createForm } from "../../../src/server/feedback/forms.ts";
import { countWhoCouldMeet, findTagSubject, listSubjects } from "../../../src/shared/tag-subjects.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { createRandom } from "../../random.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";

let service: TestService;
let formId: string;
let sent = 0;

interface Play {
  readonly build: string;
  readonly device?: string;
  readonly environment?: string;
  /** `room` enters a room, `room!` completes it, and `room?` reports a crash in it. */
  readonly steps?: readonly string[];
  /** A rating of the form. */
  readonly fun?: string;
}

const EVENT_NAMES: Readonly<Record<string, string>> = { "!": "level_completed", "?": "crash_reported" };

async function play({ build, device, environment = "production", steps = [], fun }: Play): Promise<void> {
  sent += 1;
  const sessionId = await sendTelemetry(service, {
    gameId: "maze",
    clientSessionId: `play-${sent}`,
    environment,
    startedAt: NOW,
    sessionEnded: true,
    sessionMetadata: { gameVersion: build },
    ...(device === undefined ? {} : { deviceId: device }),
    events: steps.map((step, n) => ({
      id: `e${n}`,
      name: EVENT_NAMES[step.at(-1) ?? ""] ?? "level_started",
      timestamp: NOW + n * 5000,
      data: { room: step.replace(/[!?]$/, "") },
    })),
  });
  if (fun === undefined) return;
  service.clock.now += 1;
  const responses = [{ fieldId: "fun", value: fun }];
  const body = { requestId: `r${sent}`, formId, sessionId, responses };
  expect((await service.post("/api/telemetry/feedback", body)).status).toBe(200);
}

const compare = async (search: string): Promise<BuildComparison> =>
  (await service.get(`/api/v1/builds/compare?game=maze&${search}`)).json;

beforeAll(async () => {
  service = await startTestService();
  const gameId = await service.addGame("maze");
  const fields = [
    { id: "fun", label: "Was it fun?", kind: "rating-1-5" as const },
    { id: "why", label: "Why?", kind: "long-text" as const },
  ];
  const form = { name: "End", fields, triggerHint: "session_end", active: true };
  formId = (await createForm(service.service.store.writeDb, service.service, gameId, form)).id;
});

afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

describe("the outcomes of a comparison", () => {
  beforeAll(async () => {
    await play({ build: "1", device: "ann", steps: ["hall", "hall!", "cellar"], fun: "5" });
    await play({ build: "1", device: "ann", steps: ["hall", "cellar!"], fun: "2" });
    await play({ build: "1", device: "bob", steps: ["hall", "attic"], fun: "5" });
    await play({ build: "1", device: "eve", steps: ["hall!"], environment: "staging", fun: "1" });
    await play({ build: "2", device: "ann", steps: ["cellar", "porch?"] });
    await play({ build: "2", device: "bob", steps: ["cellar", "hall"] });
    await service.analysis.drain();
  });

  it("count the latest rating of each tester", async () => {
    const { buildA, buildB } = await compare("a=1&b=2");
    const field = { formId, fieldId: "fun", label: "Was it fun?" };
    expect(buildA.outcomes?.ratings).toEqual([{ ...field, testers: 2, mean: 3.5 }]);
    expect(buildB.outcomes?.ratings).toEqual([{ ...field, testers: 0, mean: null }]);
    const all = await compare("a=1&b=2&env=all");
    expect(all.buildA.outcomes?.ratings).toEqual([{ ...field, testers: 3, mean: 8 / 3 }]);
  });

  it("are the testers who completed each room that anyone completed", async () => {
    const { buildA, buildB } = await compare("a=1&b=2");
    expect(buildA.outcomes?.rooms).toEqual([
      { room: "cellar", testersEntered: 1, testersCompleted: 1 },
      { room: "hall", testersEntered: 2, testersCompleted: 1 },
    ]);
    expect(buildB.outcomes?.rooms).toEqual([
      { room: "cellar", testersEntered: 2, testersCompleted: 0 },
      { room: "hall", testersEntered: 1, testersCompleted: 0 },
    ]);
    expect([buildA.outcomes?.completion, buildB.outcomes?.completion]).toEqual([
      { roomsEntered: 3, roomsCompleted: 2 },
      { roomsEntered: 3, roomsCompleted: 0 },
    ]);
  });

  it("exclude sessions for which it is unknown whether they completed a room", async () => {
    const { writeDb } = service.service.store;
    await play({ build: "3", device: "ann", steps: ["hall!"] });
    await play({ build: "3", device: "bob", steps: ["hall!"] });
    await service.analysis.drain();
    const bob = await writeDb
      .selectFrom("sessions")
      .select("id")
      .where("build", "=", "3")
      .where("device_id", "=", "bob")
      .executeTakeFirstOrThrow();
    await writeDb
      .updateTable("room_times")
      .set({ completed: null })
      .where("session_id", "=", bob.id)
      .execute();
    const { buildA } = await compare("a=3&b=3");
    expect(buildA.outcomes?.rooms).toEqual([{ room: "hall", testersEntered: 1, testersCompleted: 1 }]);
  });

  it("counts a tag about a room among the testers who entered the room", async () => {
    const { diff, buildA, buildB } = await compare("a=1&b=2");
    expect(diff.changes.find(({ tag }) => tag === "bug-report:porch")).toEqual({
      kind: "introduced",
      tag: "bug-report:porch",
      title: "Bugs: porch",
      deltaPct: 50,
      testersA: 0,
      testersB: 1,
      testersExposedA: 0,
      testersExposedB: 1,
    });
    expect([buildA.testersInBatch, buildB.byTag?.[0]?.testersExposed]).toEqual([2, 1]);
  });
});

it("counts the same exposed testers as the facts of each build", async () => {
  const random = createRandom(18);
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;
  const rooms = ["Hall", "hall", "The  Cellar!", "attic", "a long room with a name ".repeat(4), "session"];
  for (let n = 0; n < 60; n += 1) {
    const steps = Array.from({ length: 3 }, () => pick(rooms) + pick(["", "", "!", "?"]));
    const device = pick(["d1", "d2", "d3", "d4", undefined]);
    const play1 = { build: pick(["7", "8"]), environment: pick(["production", "staging"]), steps };
    const answer = random() < 0.5 ? { fun: pick(["1", "3", "5"]) } : {};
    await play({ ...play1, ...answer, ...(device === undefined ? {} : { device }) });
  }
  await service.analysis.drain();
  for (const env of ["production", "staging", "all"]) {
    const { diff } = await compare(`a=7&b=8&env=${env}`);
    const [a, b] = await Promise.all(
      ["7", "8"].map(async (build) => {
        const facts: BuildFacts = (await service.get(`/api/v1/builds/maze/${build}/facts?env=${env}`)).json;
        expect(facts.testers).toHaveLength(facts.total);
        const testers = facts.testers.map(({ sessions }) => ({
          sessions: sessions.map((one) => ({ ...one, tags: one.tags.map(({ tag }) => tag) })),
        }));
        return { total: facts.total, testers };
      }),
    );
    if (!a || !b) throw new Error("The facts are missing");
    const subjects = listSubjects([...a.testers, ...b.testers]);
    const expected = diff.changes.map(({ tag }) => {
      const subject = findTagSubject(tag, subjects);
      const [inA, inB] = [
        countWhoCouldMeet(a.testers, tag, subject),
        countWhoCouldMeet(b.testers, tag, subject),
      ];
      return [tag, inA.withTag, inB.withTag, inA.exposed, inB.exposed];
    });
    expect(
      diff.changes.map((change) => [
        change.tag,
        change.testersA,
        change.testersB,
        change.testersExposedA,
        change.testersExposedB,
      ]),
    ).toEqual(expected);
    expect(expected.length).toBeGreaterThan(4);
    const unhappy = diff.changes.find(({ tag }) => tag === "negative-moment:feedback-fun");
    expect(unhappy?.testersExposedA).toBeLessThan(a.total);
  }
});
