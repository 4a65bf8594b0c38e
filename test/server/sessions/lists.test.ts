/** Lists: their order, and pages without missing or repeated items. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { listAll } from "../telemetry-helpers.ts";
import { fillLists, getIds, insights, sessions } from "./list-fixtures.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await fillLists(service);
});

afterAll(() => service.stop());

describe.each([
  ["/api/v1/sessions", sessions],
  ["/api/v1/insights", insights],
] as const)("%s", (path, planned) => {
  it("is sorted newest first, with ties by id", async () => {
    expect(getIds(await listAll(service, path))).toEqual(getIds(planned));
  });

  it("has no missing or repeated items at any page size", async () => {
    for (const limit of [
      1,
      2,
      3,
      7,
      20,
      50,
      99,
      100,
      planned.length - 1,
      planned.length,
      planned.length + 1,
    ]) {
      const items = await listAll(service, path, Math.min(limit, 100));
      expect([limit, getIds(items)]).toEqual([limit, getIds(planned)]);
    }
  });

  it("returns 20 items per page by default, and at most 100", async () => {
    expect(getIds((await service.get(path)).json.items)).toEqual(getIds(planned.slice(0, 20)));
    for (const limit of [100, 101, 1000]) {
      expect(getIds((await service.get(`${path}?limit=${limit}`)).json.items)).toEqual(
        getIds(planned.slice(0, 100)),
      );
    }
  });

  it("returns hasMore and total on every page", async () => {
    const { length } = planned;
    for (const [limit, offset] of [
      [20, 0],
      [20, length - 20],
      [20, length - 21],
      [100, length - 1],
      [1, length],
      [5, length + 5],
    ] as const) {
      const { json } = await service.get(`${path}?limit=${limit}&offset=${offset}`);
      expect(getIds(json.items)).toEqual(getIds(planned.slice(offset, offset + limit)));
      expect([limit, offset, json.total, json.hasMore]).toEqual([
        limit,
        offset,
        length,
        offset + limit < length,
      ]);
    }
  });

  it("returns an empty list if a filter matches nothing", async () => {
    for (const search of ["build=9.9", "to=0", "game=maze&build=nothing"]) {
      const answer = await service.get(`${path}?${search}`);
      expect([answer.status, answer.json]).toEqual([200, { items: [], hasMore: false, total: 0 }]);
    }
  });
});

it("lists games newest first, with ties by id", async () => {
  const own = await startTestService();
  const made = [];
  for (const [slug, at] of [
    ["old", -5],
    ["tie-b", 0],
    ["tie-a", 0],
    ["new", 5],
  ] as const) {
    own.clock.now = NOW + at;
    made.push(await own.addGame(slug));
  }
  const [old, first, second, newest] = made;
  expect(getIds((await own.get("/api/v1/games")).json.games)).toEqual([newest, first, second, old]);
  await own.stop();
});
