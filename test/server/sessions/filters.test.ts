/** The filters of lists, separately and combined. Time bounds are inclusive. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insightTypes, sentiments } from "../../../src/contract/insights.ts";
import { sessionSources, sessionStatuses } from "../../../src/contract/sessions.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import fc from "../../property.ts";
import { listAll } from "../telemetry-helpers.ts";
import {
  builds,
  environments,
  fillLists,
  games,
  getIds,
  insights,
  MINUTE,
  sessions,
} from "./list-fixtures.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await fillLists(service);
});

afterAll(() => service.stop());

const maybe = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const time = fc.option(
  fc.integer({ min: -24, max: 2 }).map((n) => NOW + n * MINUTE),
  { nil: undefined },
);
const near = fc.constantFrom(-1, 0, 1);

/** Returns the query string of a filter, without undefined values. */
function toQueryString(filter: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&");
}

/** Returns the planned items that match a filter. */
function filtered<T extends { readonly at: number }>(
  planned: readonly T[],
  {
    from,
    to,
    ...equal
  }: { from?: number | undefined; to?: number | undefined } & Readonly<Record<string, unknown>>,
): T[] {
  return planned.filter(
    (item) =>
      item.at >= (from ?? 0) &&
      item.at <= (to ?? Infinity) &&
      Object.entries(equal).every(
        ([key, value]) =>
          value === undefined || (key === "env" && value === "all") || item[key as keyof T] === value,
      ),
  );
}

describe("filters", () => {
  it("select sessions by each filter separately", async () => {
    const each: Record<string, readonly string[]> = {
      game: games,
      build: [...builds, "none"],
      env: [...environments, "all", "none"],
      status: sessionStatuses,
      source: sessionSources,
    };
    for (const [name, values] of Object.entries(each)) {
      for (const value of values) {
        const items = await listAll(service, `/api/v1/sessions?${name}=${value}`);
        expect([name, value, getIds(items)]).toEqual([
          name,
          value,
          getIds(filtered(sessions, { [name]: value })),
        ]);
      }
    }
  });

  it("select sessions by combined filters, with inclusive bounds", async () => {
    const filter = fc.record({
      game: maybe(games),
      build: maybe(builds),
      env: maybe([...environments, "all"]),
      status: maybe(sessionStatuses),
      source: maybe(sessionSources),
      from: time,
      to: time,
    });
    await fc.assert(
      fc.asyncProperty(filter, near, async (given, off) => {
        const { from, to } = given;
        const bounds =
          from !== undefined && to !== undefined && from > to ? { from: to, to: from } : { from, to };
        const wanted = {
          ...given,
          from: bounds.from === undefined ? undefined : bounds.from + Math.min(0, off),
          to: bounds.to === undefined ? undefined : bounds.to + Math.max(0, off),
        };
        const { json } = await service.get(`/api/v1/sessions?limit=100&${toQueryString(wanted)}`);
        const expected = filtered(sessions, wanted);
        expect(getIds(json.items)).toEqual(getIds(expected.slice(0, 100)));
        expect(json.total).toBe(expected.length);
      }),
      { numRuns: 150 },
    );
  });

  it("select insights by separate and combined filters, with inclusive bounds", async () => {
    const filter = fc.record({
      game: maybe(games),
      build: maybe(builds),
      type: maybe(insightTypes),
      sentiment: maybe(sentiments),
      from: time,
      to: time,
    });
    const types = [
      ...insightTypes.map((type) => ({ type })),
      ...sentiments.map((sentiment) => ({ sentiment })),
      ...games.map((game) => ({ game })),
    ];
    for (const given of types) {
      const items = await listAll(service, `/api/v1/insights?${toQueryString(given)}`);
      expect(getIds(items)).toEqual(getIds(filtered(insights, given)));
    }
    await fc.assert(
      fc.asyncProperty(filter, async ({ from, to, ...equal }) => {
        const bounds =
          from !== undefined && to !== undefined && from > to ? { from: to, to: from } : { from, to };
        const { json } = await service.get(
          `/api/v1/insights?limit=100&${toQueryString({ ...equal, ...bounds })}`,
        );
        const expected = filtered(insights, { ...equal, ...bounds });
        expect(getIds(json.items)).toEqual(getIds(expected.slice(0, 100)));
        expect(json.total).toBe(expected.length);
      }),
      { numRuns: 150 },
    );
  });

  it("leave out session summaries and add moments of play on request", async () => {
    const all = await listAll(service, "/api/v1/insights?include=activeSec");
    const kept = await listAll(service, "/api/v1/insights?include=activeSec&exclude=session-summary");
    expect(kept).toEqual(all.filter(({ type }) => type !== "session-summary"));
    expect(kept.length).toBeLessThan(all.length);
    const { writeDb } = service.service.store;
    const [first] = kept;
    await writeDb.updateTable("insights").set({ after_ms: 1500 }).where("id", "=", first.id).execute();
    const [changed] = (await service.get("/api/v1/insights?include=activeSec&exclude=session-summary")).json
      .items;
    expect([first.activeSec, changed]).toEqual([null, { ...first, activeSec: 1.5 }]);
  });

  it("return list items without the fields that only the detail endpoints return", async () => {
    const session = (await service.get("/api/v1/sessions?limit=1")).json.items[0];
    expect(Object.keys(session).sort()).toEqual([
      "clockCorrected",
      "deviceId",
      "duration",
      "environment",
      "gameId",
      "id",
      "metadata",
      "receivedAt",
      "recordedAt",
      "source",
      "status",
      "testerHandle",
      "title",
    ]);
    const insight = (await service.get("/api/v1/insights?limit=1")).json.items[0];
    expect(Object.keys(insight).sort()).toEqual([
      ...["build", "confidence", "createdAt", "deviceId", "environment", "evidenceIds", "id", "recordedAt"],
      ...["room", "sentiment", "sessionId", "tag", "title", "type"],
    ]);
  });
});
