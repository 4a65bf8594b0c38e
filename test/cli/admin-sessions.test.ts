/** Tests of admin sessions: adding sessions and transcripts, and retrying failed analyses. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { sessionSources } from "../../src/contract/sessions.ts";
import { updateSession } from "../../src/server/sessions/session-queries.ts";
import { NOW, type TestService } from "../harness.ts";
import { readSessionRow } from "../server/telemetry-helpers.ts";
import { type AdminFixture, setUpAdminFixture } from "./admin-fixture.ts";

let fixture: AdminFixture;
let key: string;
setUpAdminFixture((made) => {
  fixture = made;
});

beforeEach(async () => {
  await fixture.run(["games", "create", "ember"]);
  key = (await fixture.run(["keys", "rotate", "--yes"])).json.key;
});

const add = (...argv: string[]) => fixture.run(["sessions", "add", "--game", "ember", ...argv]);
const read = (id: string) =>
  fixture.withService(async (service) => (await service.get(`/api/v1/sessions/${id}`, { key })).json.session);
const write = (name: string, content: string | Uint8Array) => {
  writeFileSync(join(fixture.folder, name), content);
  return name;
};

describe("add", () => {
  test("stores all values and analyzes the session", async () => {
    const transcript = write("said.txt", "I do not see the LEVER.\n");
    const { code, json } = await add(
      ...["--source", "obs", "--transcript", transcript, "--title", "Friday", "--build", "0.9.0"],
      ...["--platform", "Steam Deck", "--tester", "mara", "--recorded-at", "2026-02-20T18:00Z"],
      ...["--env", "staging"],
    );
    expect([code, json.session.status]).toEqual([0, "analyzed"]);
    expect(await read(json.session.id)).toMatchObject({
      title: "Friday",
      source: "obs",
      status: "analyzed",
      recordedAt: Date.UTC(2026, 1, 20, 18),
      duration: 0,
      testerHandle: "mara",
      metadata: { gameVersion: "0.9.0", platform: "Steam Deck" },
      environment: "staging",
      deviceId: null,
      transcript: "I do not see the LEVER.\n",
    });
    await fixture.withService(async (service) => {
      const found = await service.get("/api/v1/sessions?q=lever&game=ember&env=staging", { key });
      expect(found.json.total).toBe(1);
      expect((await service.get("/api/v1/games/ember", { key })).json.counts.sessionCount).toBe(1);
    });
  });

  test("requires only the game", async () => {
    const { json } = await add("--notes", "Everyone missed the lever.");
    expect(await read(json.session.id)).toMatchObject({
      title: "manual, 2026-03-01T12:00Z",
      source: "manual",
      recordedAt: NOW,
      metadata: { gameVersion: "unknown", platform: "unknown" },
      environment: "production",
      transcript: "Everyone missed the lever.",
    });
    const nowhere = await fixture.run(["sessions", "add", "--notes", "x"]);
    expect([nowhere.code, nowhere.json]).toEqual([2, null]);
  });

  test.each(sessionSources)(
    "with source %s waits for a transcript only if it is a recording",
    async (source) => {
      const { json } = await add("--source", source);
      const waits = source === "manual" || source === "obs";
      expect(json.session.status).toBe(waits ? "transcribing" : "analyzed");
    },
  );

  test("reads the transcript from standard input", async () => {
    const run = await fixture.run(["sessions", "add", "--game", "ember", "--transcript", "-"], {
      stdin: "é",
    });
    expect((await read(run.json.session.id)).transcript).toBe("é");
  });

  test.each<[string, string[], number]>([
    ["a file that is not there", ["--transcript", "none.txt"], 3],
    ["both a transcript and notes", ["--transcript", "-", "--notes", "x"], 2],
    ["empty notes", ["--notes", " "], 2],
    ["an unknown source", ["--source", "vhs"], 2],
    ["an environment that is none", ["--env", "A b"], 2],
    ["the environment that stands for all", ["--env", "all"], 2],
    ["a build that URLs erase", ["--build", ".."], 2],
    ["a long build", ["--build", "x".repeat(121)], 2],
    ["a tester that URLs erase", ["--tester", "."], 2],
    ["a long title", ["--title", "x".repeat(121)], 2],
    ["an unknown game", ["--game", "none"], 44],
  ])("rejects %s, and stores nothing", async (_what, argv, code) => {
    expect(await add(...argv)).toMatchObject({ code, json: null });
    await fixture.withService(async (service) => {
      expect((await service.get("/api/v1/sessions", { key })).json.total).toBe(0);
    });
  });

  test.each<[string, Uint8Array]>([
    ["not UTF-8", new Uint8Array([0xff, 0xfe, 65])],
    ["empty", new Uint8Array()],
    ["holding NUL", new Uint8Array([65, 0, 66])],
    ["too large", new Uint8Array(4 * 1024 * 1024 + 1).fill(65)],
  ])("rejects a transcript that is %s", async (_what, bytes) => {
    expect((await add("--transcript", write("said.txt", bytes))).code).toBe(2);
  });
});

describe("transcript", () => {
  test("analyzes a waiting recording, once", async () => {
    const { id } = (await add("--source", "obs")).json.session;
    expect((await read(id)).status).toBe("transcribing");
    write("said.txt", "Where is the lever?");
    const { json } = await fixture.run(["sessions", "transcript", id, "said.txt"]);
    expect(json.session.status).toBe("analyzed");
    expect((await read(id)).transcript).toBe("Where is the lever?");
    await fixture.withService(async (service) => {
      expect((await service.get("/api/v1/sessions?q=LEVER", { key })).json.total).toBe(1);
    });
    const again = await fixture.run(["sessions", "transcript", id, "said.txt"]);
    expect([again.code, again.err]).toEqual([
      2,
      expect.stringContaining(`Session ${id} is analyzed, not transcribing`),
    ]);
  });
});

describe("retry", () => {
  const failing = (service: TestService, id: string) =>
    readSessionRow(service, id).then((row) =>
      updateSession(
        service.service.store.writeDb,
        row,
        { status: "failed", analysis_due: null, analysis_attempts: 6 },
        null,
      ),
    );

  test("analyzes a failed session again", async () => {
    const { id } = (await add("--notes", "x")).json.session;
    await fixture.withService((service) => failing(service, id));
    expect((await read(id)).status).toBe("failed");
    const { code, json } = await fixture.run(["sessions", "retry", id]);
    expect([code, json.session.status]).toEqual([0, "analyzed"]);
    await fixture.withService(async (service) => {
      const row = await readSessionRow(service, id);
      expect([row.analysis_due, row.analysis_attempts]).toEqual([null, 0]);
    });
  });

  test("leaves a session pending that fails again, for a server to retry", async () => {
    const ingestKey = (await fixture.run(["keys", "create"])).json.key;
    const id = await fixture.withService(async (service) => {
      const events = [{ id: "e", name: "x", timestamp: NOW }];
      const sent = await service.post("/api/telemetry", { gameId: "ember", events }, { key: ingestKey });
      await service.service.store.writeDb.schema.alterTable("room_times").renameTo("elsewhere").execute();
      await failing(service, sent.json.sessionId);
      return sent.json.sessionId as string;
    });
    const { json, err } = await fixture.run(["sessions", "retry", id]);
    expect([json.session.status, err]).toEqual([
      "pending",
      expect.stringContaining(`analyzing session ${id}`),
    ]);
  });

  test("reports a session as failed again if its stored data is damaged", async () => {
    const ingestKey = (await fixture.run(["keys", "create"])).json.key;
    const id = await fixture.withService(async (service) => {
      const events = [{ id: "e", name: "x", timestamp: NOW }];
      const sent = await service.post("/api/telemetry", { gameId: "ember", events }, { key: ingestKey });
      await service.service.store.writeDb
        .updateTable("event_batches")
        .set({ payload: new Uint8Array([1]) })
        .execute();
      await failing(service, sent.json.sessionId);
      return sent.json.sessionId as string;
    });
    const { json, err } = await fixture.run(["sessions", "retry", id]);
    expect([json.session.status, err]).toEqual(["failed", expect.stringContaining("A stored batch has")]);
  });

  test("explains that a recording needs a transcript, which can then be added", async () => {
    const { id } = (await add()).json.session;
    await fixture.withService((service) => failing(service, id));
    const refused = await fixture.run(["sessions", "retry", id]);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining(`Session ${id} is a recording without a transcript`),
    ]);
    expect(refused.err).toContain(`admin sessions transcript ${id}`);
    expect((await read(id)).status).toBe("failed");
    const brought = await fixture.run(["sessions", "transcript", id, "-"], { stdin: "I love it." });
    expect([brought.code, brought.json.session.status]).toEqual([0, "analyzed"]);
  });

  test("rejects sessions with another status, of another account, and unknown ones", async () => {
    const { id } = (await add("--notes", "x")).json.session;
    expect((await fixture.run(["sessions", "retry", id])).code).toBe(2);
    expect((await fixture.run(["sessions", "retry", "sess_none"])).code).toBe(44);
    await fixture.run(["accounts", "create", "Other"]);
    expect((await fixture.run(["sessions", "retry", id, "--account", "Other"])).code).toBe(44);
  });
});
