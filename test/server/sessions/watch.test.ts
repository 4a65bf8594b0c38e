/** Which sessions to watch: what happened in each, and those with the most and worst problems first. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createForm } from "../../../src/server/feedback/forms.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.addGame("ember");
});
afterAll(() => service.stop());

/** Sends a session that failed some times in a room, every 10 s, and returns its id. */
async function play(name: string, room: string, failures: number, more: Record<string, unknown> = {}) {
  const start = NOW - 3_600_000;
  const events = ["press", ...Array.from({ length: failures }, () => "death")].map((event, at) => ({
    ...{ id: `${name}-${at}`, name: event, timestamp: start + at * 10_000, data: { room } },
  }));
  const id = await sendTelemetry(service, {
    ...{ gameId: "ember", clientSessionId: name, deviceId: `dev_${name}`, sessionEnded: true, events },
    ...{ startedAt: start, sessionMetadata: { gameVersion: "1.0", platform: "linux" }, ...more },
  });
  await service.analysis.drain();
  return id;
}

const readTitle = async (id: string) => (await service.get(`/api/v1/sessions/${id}`)).json.session.title;

describe("the title of a session", () => {
  it("says what happened once the session is analyzed, and is found by its words", async () => {
    const id = await play("quit", "furnace", 6);
    expect(await readTitle(id)).toBe("Quit in furnace after 6 failures, 1m");
    const { items } = (await service.get("/api/v1/sessions?game=ember&q=QUIT%20IN%20FURNACE")).json;
    expect(items).toMatchObject([{ id, title: "Quit in furnace after 6 failures, 1m" }]);
  });

  it("stays if the game sent it", async () => {
    expect(await readTitle(await play("named", "furnace", 1, { title: "Friday test" }))).toBe("Friday test");
  });

  it("replaces the one that an earlier version of the service made, and no other", async () => {
    const made = await play("made", "gardens", 0);
    const sent = await play("sent", "gardens", 0);
    const { writeDb } = service.service.store;
    const { recorded_at } = await writeDb
      .selectFrom("sessions")
      .select("recorded_at")
      .where("id", "=", made)
      .executeTakeFirstOrThrow();
    const before = { analysis_version: 3, title_sent: null };
    const minute = new Date(recorded_at).toISOString().slice(0, 16);
    for (const [id, title] of [
      [made, `1.0 on linux, ${minute}Z`],
      [sent, "Ember 1.0, started in gardens"],
    ] as const)
      await writeDb
        .updateTable("sessions")
        .set({ ...before, title })
        .where("id", "=", id)
        .execute();
    await service.analysis.drain({ outdated: true });
    expect([await readTitle(made), await readTitle(sent)]).toEqual([
      ...["Ended in gardens, 0s", "Ember 1.0, started in gardens"],
    ]);
  });
});

describe("sort=watch", () => {
  it("begins with the most and worst problems, and says what makes a session worth watching", async () => {
    const { writeDb: db } = service.service.store;
    const gameId = (await db.selectFrom("games").select("id").executeTakeFirstOrThrow()).id;
    const fields = [
      { id: "fun", label: "Fun?", kind: "rating-1-5" as const },
      { id: "look", label: "Looks?", kind: "rating-1-5" as const },
    ];
    const form = { name: "End", fields, triggerHint: "session_end", active: true };
    const formId = (await createForm(db, service.service, gameId, form)).id;
    const mild = await play("mild", "bridge", 5, { sessionMetadata: { gameVersion: "2.0" } });
    const worse = await play("worse", "bridge", 9, { sessionMetadata: { gameVersion: "2.0" } });
    const rated = await play("rated", "bridge", 5, { sessionMetadata: { gameVersion: "2.0" } });
    const quiet = await play("quiet", "dock", 0, { sessionMetadata: { gameVersion: "2.0" } });
    const responses = [
      { fieldId: "fun", value: "1" },
      { fieldId: "look", value: "4" },
    ];
    await service.post("/api/telemetry/feedback", { requestId: "r1", formId, sessionId: rated, responses });
    await service.analysis.drain();
    const { items, total, applied } = (await service.get("/api/v1/sessions?game=ember&build=2.0&sort=watch"))
      .json;
    expect([items.map(({ id }: { id: string }) => id), total, applied]).toEqual([
      ...[[rated, worse, mild, quiet], 4, { sort: "watch" }],
    ]);
    const [first, , , last] = items;
    expect(first.watch).toEqual({
      ...{ problems: expect.any(Number), lastRoom: "bridge", rating: 2.5 },
      worst: {
        insightId: expect.stringMatching(/^ins_/),
        title: expect.stringContaining("bridge"),
        activeSec: 50,
      },
    });
    expect(first.watch.problems).toBeGreaterThan(items[1].watch.problems);
    expect(last.watch).toEqual({ problems: 0, lastRoom: "dock", rating: null, worst: null });
    const second = (await service.get("/api/v1/sessions?build=2.0&sort=watch&limit=1&offset=1")).json;
    expect([second.items[0].id, second.hasMore]).toEqual([worse, true]);
  });

  it("is not part of the items otherwise", async () => {
    const { items } = (await service.get("/api/v1/sessions?game=ember&limit=1")).json;
    expect(Object.keys(items[0])).not.toContain("watch");
  });
});
