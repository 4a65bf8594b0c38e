/** Event config: the flags that SDKs read, and what events mean to the analysis. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { issueKey } from "../../../src/server/accounts/keys.ts";
import { defaultMeanings, findMeaning, resolveMeanings } from "../../../src/server/analysis/meanings.ts";
import { storeSdkSettings } from "../../../src/server/games/game-queries.ts";
import { putEventConfig } from "../../../src/server/telemetry/event-config-queries.ts";
import type { EventMeaning } from "../../../src/shared/event-names.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { readSession, sendTelemetry } from "../telemetry-helpers.ts";

let service: TestService;
let gameId: string;
beforeEach(async () => {
  service = await startTestService();
  gameId = await service.addGame("ember");
});
afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

const set = (name: string, flags: string, meaning: EventMeaning | null = null, game_id = gameId) =>
  putEventConfig(service.service.store.writeDb, {
    game_id,
    name,
    sdk_ignore: flags.includes("i") ? 1 : 0,
    link_to_summary: flags.includes("l") ? 1 : 0,
    hide_from_ai: flags.includes("h") ? 1 : 0,
    meaning,
    sample_rate: flags.includes("s") ? 0.1 : null,
  });

const PATH = "/api/v1/games/ember/event-config";

describe("the event config of a game", () => {
  it("is empty by default", async () => {
    expect((await service.get(PATH)).json).toEqual({ events: {} });
  });

  it("returns each flag separately, with its latest value", async () => {
    await set("a", "i");
    await set("b", "l", "failure");
    await set("c", "ilh");
    await set("c", "h");
    await set("d", "s");
    expect((await service.get(PATH)).json).toEqual({
      events: {
        a: { sdkIgnore: true, linkToSummary: false, hideFromAi: false },
        b: { sdkIgnore: false, linkToSummary: true, hideFromAi: false },
        c: { sdkIgnore: false, linkToSummary: false, hideFromAi: true },
        d: { sdkIgnore: false, linkToSummary: false, hideFromAi: false, sampleRate: 0.1 },
      },
    });
  });

  it("is a list with the settings of the game for requests with the header of an SDK", async () => {
    await set("b", "l");
    await set("a", "i");
    const ask = (headers: Record<string, string>) => service.get(PATH, { key: service.keys.ingest, headers });
    const answer = await ask({ "X-Studio-SDK": "unity" });
    expect(answer.headers.get("vary")).toBe("X-Studio-SDK");
    expect(answer.json).toEqual({
      events: [
        { eventName: "a", sdkIgnore: true, linkToSummary: false, hideFromAi: false },
        { eventName: "b", sdkIgnore: false, linkToSummary: true, hideFromAi: false },
      ],
      game: { crashesEnabled: true, crashRecentEventsCount: 20, crashSampleRate: 1, showBranding: false },
    });
    const settings = { ...answer.json.game, snapshotEventName: "save", crashSampleRate: 0.5 };
    await storeSdkSettings(service.service.store.writeDb, gameId, settings);
    expect((await ask({ "X-Studio-SDK": "unity" })).json.game).toEqual(settings);
    const plain = await ask({ "X-Studio-Environment": "dev" });
    expect(Object.keys(plain.json)).toEqual(["events"]);
    expect([Array.isArray(plain.json.events), plain.headers.get("vary")]).toEqual([false, "*"]);
  });

  it("accepts names of Object.prototype as event names", async () => {
    for (const name of ["__proto__", "constructor", "toString"]) await set(name, "i");
    const { text, json } = await service.get(PATH);
    expect(Object.keys(json.events).sort()).toEqual(["__proto__", "constructor", "toString"]);
    expect(text).toContain('"__proto__":{"sdkIgnore":true,');
  });

  it("lists its allowed methods for both kinds of keys, while other paths return 403 for an ingest key", async () => {
    const allow = "GET, HEAD, OPTIONS";
    for (const key of [service.keys.ingest, service.keys.management]) {
      const statuses = [];
      for (const method of ["OPTIONS", "POST", "DELETE"]) {
        const answer = await service.get(PATH, { key, method });
        statuses.push([answer.status, answer.headers.get("allow")]);
      }
      expect(statuses).toEqual([
        [204, allow],
        [405, allow],
        [405, allow],
      ]);
    }
    for (const path of ["/api/v1/games/ember", "/api/v1/games", "/api/v1/none"]) {
      for (const method of ["GET", "OPTIONS", "POST"]) {
        const answer = await service.get(path, { key: service.keys.ingest, method });
        expect([path, method, answer.status, answer.json.requiredScope]).toEqual([
          ...[path, method, 403, "management"],
        ]);
      }
    }
  });

  it("can be read with both kinds of keys, by id and by slug, but not by another account", async () => {
    await set("a", "i");
    const { keys } = await service.addAccount("others");
    const own = (await service.get(PATH)).text;
    expect(own).toContain('"a"');
    for (const key of [service.keys.ingest, service.keys.management]) {
      for (const path of [PATH, `/api/v1/games/${gameId}/event-config`]) {
        const answer = await service.get(path, { key });
        expect([answer.status, answer.text]).toEqual([200, own]);
      }
    }
    for (const key of [keys.ingest, keys.management]) {
      const answer = await service.get(PATH, { key });
      expect([answer.status, answer.json.error]).toEqual([404, "Not found"]);
      expect(answer.json.reason).toBe(key === keys.ingest ? "unknown_game" : undefined);
    }
    expect((await service.get("/api/v1/games/ember", { key: service.keys.ingest })).status).toBe(403);
  });

  it("returns 404 for a key that is limited to another game", async () => {
    const tide = await service.addGame("tide");
    const key = await issueKey(service.service.store.writeDb, service.accountId, "ingest", NOW, gameId);
    expect((await service.get(PATH, { key })).status).toBe(200);
    for (const game of ["tide", tide])
      expect((await service.get(`/api/v1/games/${game}/event-config`, { key })).status).toBe(404);
  });
});

describe("meanings", () => {
  const resolve = (meanings: Record<string, EventMeaning | null>) =>
    resolveMeanings(Object.entries(meanings).map(([name, meaning]) => ({ name, meaning })));

  it("have default names if none are set", () => {
    expect(resolve({})).toBe(defaultMeanings);
    expect(resolve({ wiped: null })).toBe(defaultMeanings);
  });

  it("that are set replace only the default names of the same meaning", () => {
    const meanings = resolve({ wiped: "failure", gave_up: "giving-up" });
    const find = (name: string) => findMeaning(name, meanings);
    expect([find("wiped"), find("death"), find("gave_up"), find("quit")]).toEqual([
      "failure",
      null,
      "givingUp",
      null,
    ]);
    expect([find("complete"), find("crash_reported"), find("application_error")]).toEqual([
      "success",
      "crash",
      "error",
    ]);
    expect([find("fail"), find("succeed"), find("begin")]).toEqual([null, "successState", "start"]);
  });

  it("of outcomes replace the default names of states, but not the reverse", () => {
    const states = resolve({ wrong: "failure-state", right: "success-state" });
    expect(["wrong", "fail", "death"].map((name) => findMeaning(name, states))).toEqual([
      "failureState",
      null,
      "failure",
    ]);
    const both = resolve({ won: "success", right: "success-state" });
    expect(["won", "right", "succeed", "complete"].map((name) => findMeaning(name, both))).toEqual([
      "success",
      "successState",
      null,
      null,
    ]);
  });

  it("of starts and resets replace their default names", () => {
    const meanings = resolve({ go: "start", again: "reset" });
    expect(["go", "begin", "again", "restart"].map((name) => findMeaning(name, meanings))).toEqual([
      "start",
      null,
      "reset",
      null,
    ]);
  });

  it("that are set for a name replace its default meaning", () => {
    const meanings = resolve({ death: "success", crash_reported: "giving-up" });
    expect([findMeaning("death", meanings), findMeaning("crash_reported", meanings)]).toEqual([
      "success",
      "givingUp",
    ]);
    expect(findMeaning("fail", meanings)).toBe("failureState");
  });

  it("are used by the analysis of their game, but not of other games", async () => {
    const tags = async (game: string, name: string) => {
      const events = Array.from({ length: 5 }, (_, at) => ({
        id: `e${at}`,
        name,
        timestamp: NOW + at * 1000,
        data: { room: "cellar" },
      }));
      const id = await sendTelemetry(service, { gameId: game, sessionEnded: true, events });
      await service.analysis.drain();
      return (await readSession(service, id)).insights.map((insight: { tag: string }) => insight.tag);
    };
    const spike = "difficulty-spike:cellar";
    expect(await tags("ember", "wiped")).not.toContain(spike);
    await set("wiped", "", "failure");
    await service.addGame("tide");
    expect(await tags("ember", "wiped")).toContain(spike);
    expect(await tags("ember", "death")).not.toContain(spike);
    expect(await tags("tide", "wiped")).not.toContain(spike);
    expect(await tags("tide", "death")).toContain(spike);
  });
});
