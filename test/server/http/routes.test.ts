/** Routing: literal segments win over parameters, independent of the order of the table. */

import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineRead, type Endpoint } from "../../../src/contract/define.ts";
import { createRouter } from "../../../src/server/http/routes.ts";
import fc from "../../property.ts";

const endpoint = (path: `/api/${string}`, method: "GET" | "POST" = "GET"): Endpoint => ({
  ...defineRead({ name: path, tool: "a_tool", path, summary: "", tag: "games", response: z.object({}) }),
  method,
});

const paths = [
  "/api/v1/games",
  "/api/v1/games/{id}",
  "/api/v1/games/{id}/prompts",
  "/api/v1/events/{game}",
  "/api/v1/builds/compare",
  "/api/v1/builds/compare/suggestions",
  "/api/v1/builds/{game}/{version}",
  "/api/v1/testers/{game}/{deviceId}",
  "/api/v1/testers/{game}/archetypes",
  "/api/v1/testers/{game}/{deviceId}/journey",
] as const;

const taken: [given: string, path: (typeof paths)[number] | null, params: object][] = [
  ["/api/v1/games", "/api/v1/games", {}],
  ["/api/v1/games/maze", "/api/v1/games/{id}", { id: "maze" }],
  ["/api/v1/games/prompts", "/api/v1/games/{id}", { id: "prompts" }],
  ["/api/v1/games/maze/prompts", "/api/v1/games/{id}/prompts", { id: "maze" }],
  ["/api/v1/builds/compare", "/api/v1/builds/compare", {}],
  ["/api/v1/builds/compare/suggestions", "/api/v1/builds/compare/suggestions", {}],
  ["/api/v1/builds/compare/1.0", "/api/v1/builds/{game}/{version}", { game: "compare", version: "1.0" }],
  [
    "/api/v1/builds/maze/suggestions",
    "/api/v1/builds/{game}/{version}",
    { game: "maze", version: "suggestions" },
  ],
  ["/api/v1/testers/maze/archetypes", "/api/v1/testers/{game}/archetypes", { game: "maze" }],
  ["/api/v1/testers/maze/d", "/api/v1/testers/{game}/{deviceId}", { game: "maze", deviceId: "d" }],
  [
    "/api/v1/testers/maze/%61rchetypes",
    "/api/v1/testers/{game}/{deviceId}",
    { game: "maze", deviceId: "%61rchetypes" },
  ],
  [
    "/api/v1/testers/maze/archetypes/journey",
    "/api/v1/testers/{game}/{deviceId}/journey",
    { game: "maze", deviceId: "archetypes" },
  ],
  ["/api/v1/games/", null, {}],
  ["/api/v1/builds/maze/", null, {}],
  ["/api/v1/builds//1.0", null, {}],
  ["/api/v1/builds/maze", null, {}],
  ["/api/v1/games/a/b/c", null, {}],
  ["api/v1/games", null, {}],
  ["", null, {}],
];

describe("a router", () => {
  it("routes each path to its endpoint, independent of the order of the table", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...paths], { minLength: paths.length }), (order) => {
        const route = createRouter(order.map((path) => endpoint(path)));
        for (const [given, path, params] of taken) {
          const match = route(given);
          expect([given, match?.byMethod.get("GET")?.path ?? null]).toEqual([given, path]);
          expect(match?.rawParams ?? {}).toEqual(params);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("combines methods of the same path, even if parameters have different names", () => {
    const route = createRouter([endpoint("/api/v1/games/{id}"), endpoint("/api/v1/games/{game}", "POST")]);
    expect([...(route("/api/v1/games/x")?.byMethod.keys() ?? [])]).toEqual(["GET", "POST"]);
  });
});
