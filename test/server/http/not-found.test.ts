/** Responses to unknown names are the same as to names of another account. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINT_HEADER } from "../../../src/contract/define.ts";
import { issueKey } from "../../../src/server/accounts/keys.ts";
import { startTestService, type TestService } from "../../harness.ts";
import { call, eachEndpoint, keyFor, makeWorld, renamed, samples, type World } from "../sample-requests.ts";

let service: TestService;
let own: World;
let foreign: World;

beforeAll(async () => {
  service = await startTestService();
  own = await makeWorld(service, service, "own");
  foreign = await makeWorld(service, await service.addAccount("others"), "foreign");
});

afterAll(() => service.stop());

const BODY = '{"error":"Not found"}';

/** Game clients learn which name is unknown. The same for unknown names and those of another account. */
const reasons: Readonly<Record<string, string>> = {
  gameId: "unknown_game",
  slug: "unknown_game",
  sessionId: "unknown_session",
  claimToken: "unknown_claim_token",
  to: "unknown_receiver",
};
const noun = (reason: string) => reason.replace("unknown_", "").replace("_", " ");

function bodyFor(field: string, value: string): string {
  const reason = reasons[field] ?? "";
  const message =
    field === "claimToken"
      ? "This key can access no such claim token"
      : `This key can access no ${noun(reason)} named ${JSON.stringify(value)}`;
  return JSON.stringify({ error: "Not found", reason, message });
}

describe.each(eachEndpoint())("%s", (name, endpoint) => {
  const ask = (world: World, field: string, value: string) => {
    const key = keyFor(endpoint, world.keys, "ingest");
    return call(service, endpoint, renamed(samples[name](world), endpoint, field, value), { key });
  };

  it("returns the same 404 for unknown names and names of another account", async () => {
    for (const [mine, theirs] of [
      [own, foreign],
      [foreign, own],
    ] as const) {
      const { names } = samples[name](theirs);
      for (const [field, values] of Object.entries(names)) {
        for (const value of [
          ...values,
          "unknown",
          "game_",
          "sess_0",
          "%",
          "' or 1=1 --",
          "É",
          theirs.keys.management,
        ]) {
          const answer = await ask(mine, field, value);
          const body = endpoint.keys.every((kind) => kind === "management") ? BODY : bodyFor(field, value);
          expect([field, value, answer.status, answer.text]).toEqual([field, value, 404, body]);
          const kept = [...answer.headers]
            .filter(([header]) => header !== "x-request-id")
            .map(([header]) => header);
          expect(kept.filter((header) => !header.startsWith("access-control-"))).toEqual([
            "content-type",
            ...(endpoint.extension ? [ENDPOINT_HEADER] : []),
          ]);
        }
      }
    }
  });

  it("returns the same response for the id and the slug", async () => {
    const { names } = samples[name](own);
    for (const [field, values] of Object.entries(names)) {
      const answers = [];
      for (const value of values) answers.push(await ask(own, field, value));
      // Only the first of several requests unlinks a device, stores a report or registers a build.
      const textOf = ({ text }: { text: string }) =>
        text
          .replace('"unlinked":true', '"unlinked":false')
          .replace('"isNew":true', '"isNew":false')
          .replace('"idempotent":false', '"idempotent":true');
      const [first] = answers;
      for (const answer of answers)
        expect([answer.status, textOf(answer)]).toEqual([endpoint.status, first && textOf(first)]);
    }
  });

  it("declares not_found if its input names something", () => {
    const named = Object.keys(samples[name](own).names).length > 0;
    expect(endpoint.errors.includes("not_found")).toBe(named);
  });
});

it("does not list data of another account", async () => {
  for (const path of ["/api/v1/games", "/api/v1/sessions?limit=100", "/api/v1/insights?limit=100"]) {
    const [mine, theirs] = [
      await service.get(path),
      await service.get(path, { key: foreign.keys.management }),
    ];
    for (const name of [foreign.slug, foreign.gameId, foreign.sessionId])
      expect(mine.text).not.toContain(name);
    for (const name of [own.slug, own.gameId, own.sessionId]) expect(theirs.text).not.toContain(name);
  }
});

it("allows two accounts to have games with the same slug", async () => {
  const third = await makeWorld(service, await service.addAccount("third"), "own");
  const [mine, theirs] = [
    await service.get("/api/v1/games/own-game"),
    await service.get("/api/v1/games/own-game", { key: third.keys.management }),
  ];
  expect([mine.json.game.id, theirs.json.game.id]).toEqual([own.gameId, third.gameId]);
});

describe("an ingest key that is limited to one game", () => {
  const bodyOf = (gameId?: string) => ({ ...(gameId ? { gameId } : {}), events: [] });

  it("can only send to that game, and gameId is optional", async () => {
    const other = await service.addGame("unbound");
    const key = await issueKey(service.service.store.writeDb, service.accountId, "ingest", 0, own.gameId);
    const sent = await service.post("/api/telemetry", bodyOf(), { key });
    expect(sent.status).toBe(202);
    const { session } = (await service.get(`/api/v1/sessions/${sent.json.sessionId}`)).json;
    expect(session.gameId).toBe(own.gameId);
    for (const gameId of [own.gameId, own.slug]) {
      expect((await service.post("/api/telemetry", bodyOf(gameId), { key })).status).toBe(202);
    }
    for (const gameId of [other, "unbound", "unknown", foreign.gameId, foreign.slug]) {
      const answer = await service.post("/api/telemetry", bodyOf(gameId), { key });
      expect([answer.status, answer.text]).toEqual([404, bodyFor("gameId", gameId)]);
    }
  });

  it("is not required, but then requests must have a gameId", async () => {
    const answer = await service.post("/api/telemetry", bodyOf());
    expect(answer.status).toBe(400);
    expect(answer.json.issues).toEqual([
      { path: ["gameId"], code: "invalid_type", message: expect.any(String) },
    ]);
  });

  it("returns 404 for a session of another game", async () => {
    await service.addGame("second");
    const body = { gameId: "second", sessionId: own.sessionId, events: [] };
    expect((await service.post("/api/telemetry", body)).text).toBe(bodyFor("sessionId", own.sessionId));
  });
});
