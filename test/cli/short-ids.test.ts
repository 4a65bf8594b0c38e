/** Short ids: how tables show them, and commands that accept the beginning of an id. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createForm } from "../../src/server/feedback/forms.ts";
import { responseBodies } from "../client/response-fixtures.ts";
import { script } from "../client/script.ts";
import { runCli, startTestService, type TestService } from "../harness.ts";

let service: TestService;
let other: string;
const ids = [
  "sess_1f2e3d4c5b6a79881f2e0001",
  "sess_1f2e3d4c5b6a79881f2e0002",
  "sess_aa2e3d4c5b6a79881f2e0003",
] as const;

beforeAll(async () => {
  const sessionIds = [...ids];
  let next = 0;
  const newId = (kind: string) =>
    (kind === "sess" && sessionIds.shift()) || `${kind}_${String(next++).padStart(8, "0")}${"f".repeat(16)}`;
  service = await startTestService({ dependencies: { newId } });
  await service.addGame("ember");
  for (const at of [1, 2, 3]) {
    await service.post("/api/telemetry", {
      gameId: "ember",
      clientSessionId: `c${at}`,
      events: [{ id: "a", name: "jump", timestamp: Date.now() }],
    });
  }
  const account = await service.addAccount("other");
  other = account.keys.management;
});
afterAll(() => service.stop());

const run = (line: string, more: object = {}) => runCli(line.split(" "), { service, ...more });

test("tables show the shortest unique beginning of ids, and other formats the whole ids", async () => {
  const { out } = await run("sessions list");
  expect(out).toMatch(/^sess_1f2e3d4c5b6a79881f2e0001 /m);
  expect(out).toMatch(/^sess_aa2e3d4c {2}/m);
  for (const flags of ["--wide", "--json", "--format csv", "--fields id"])
    expect((await run(`sessions list ${flags}`)).out).toContain(ids[2]);
});

test("a command accepts the beginning of an id if only one id begins with it", async () => {
  const found = await run("sessions get sess_aa2e --json");
  expect(JSON.parse(found.out).session.id).toBe(ids[2]);
  const events = await run("sessions events sess_a --json");
  expect(JSON.parse(events.out).items).toHaveLength(1);
});

test("feedback submissions have short ids too", async () => {
  const fields = [{ id: "fun", label: "Was it fun?", kind: "rating-1-5" as const, required: true }];
  const form = await createForm(service.service.store.writeDb, service.service, await findGameId(), {
    ...{ name: "After", fields, triggerHint: "session_end", active: true },
  });
  await service.post("/api/telemetry/feedback", {
    ...{ requestId: "r1", formId: form.id, sessionId: ids[2] },
    responses: [{ fieldId: "fun", value: "4" }],
  });
  const { items } = JSON.parse((await run("feedback list --env all --json --game ember")).out);
  const [{ submissionId }] = items;
  const found = await run(`feedback get ${submissionId.slice(0, 14)} --game ember --json`);
  expect(JSON.parse(found.out).submission.submissionId).toBe(submissionId);
});

const findGameId = async () => JSON.parse((await run("games get ember --json")).out).game.id as string;

test("the beginning of several ids is an error that lists them", async () => {
  const { code, err } = await run("sessions get sess_1f2e");
  expect([code, err]).toEqual([
    2,
    'error: "sess_1f2e" is the beginning of several session ids\n' +
      `hint: Add characters. The ids are ${ids[0]}, ${ids[1]}\n`,
  ]);
});

test("the beginning of no id is not found", async () => {
  for (const line of ["sessions get sess_bb", "sessions events sess_bb"]) {
    const { code, err } = await run(line);
    expect([code, err]).toEqual([44, expect.stringContaining("No session sess_bb")]);
  }
});

test("never finds ids of another account", async () => {
  const answer = await service.get("/api/v1/ids?prefix=sess_", { key: other });
  expect(answer.status).toBe(400);
  expect((await service.get("/api/v1/ids?prefix=sess_a", { key: other })).json.items).toEqual([]);
  expect((await service.get("/api/v1/ids?prefix=sess_a")).json.items).toHaveLength(1);
});

test("returns at most ten ids, and says if there are more", async () => {
  for (let at = 0; at < 12; at += 1) {
    const events = [{ id: "a", name: "jump", timestamp: Date.now() }];
    await service.post("/api/telemetry", { gameId: "ember", clientSessionId: `d${at}`, events });
  }
  const { items, hasMore } = (await service.get("/api/v1/ids?prefix=sess_0")).json;
  expect([items.length, hasMore]).toEqual([10, true]);
  expect((await run("sessions get sess_0")).err).toMatch(/hint: Add characters\. The ids are .*, \.\.\.\n/);
});

test("a whole id needs no further request", async () => {
  const { transport, requests } = script({ body: responseBodies.getSession });
  const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k" };
  await runCli(["sessions", "get", ids[0]], { env, transport });
  expect(requests).toHaveLength(1);
});

test("a service that cannot look up ids gets the text, and its 404 says that the whole id is needed", async () => {
  const { transport, requests } = script({ status: 404, body: { error: "Not found" } });
  const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k" };
  const { code, err } = await runCli(["sessions", "get", "sess_1"], { env, transport });
  expect([code, err]).toEqual([
    44,
    "error: No session sess_1\nhint: If this is the beginning of an id, use the whole id: this service does " +
      "not look up short ids, which is an extension of playtest's own service.\n",
  ]);
  expect(requests.map(({ url }) => new URL(url).pathname)).toEqual([
    "/api/v1/sessions/sess_1",
    "/api/v1/games",
  ]);
});
