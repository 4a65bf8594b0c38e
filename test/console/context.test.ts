/** What pages may call, and that they leave time for others. */
import { expect, test } from "vitest";
import { createContext } from "../../src/console/pages.ts";
import type { Endpoint } from "../../src/contract/define.ts";
import { listGames } from "../../src/contract/games.ts";
import { endpoints } from "../../src/contract/index.ts";

const request = { path: "/", query: "", reader: null, now: 0, report: () => {} };

test("a page cannot call an endpoint that writes, and nothing is sent", async () => {
  const sent: Request[] = [];
  const { call } = createContext({
    ...request,
    async fetch(one) {
      sent.push(one);
      return new Response("{}");
    },
  });
  const writes = Object.values<Endpoint>(endpoints).filter(({ method }) => method !== "GET");
  expect(writes.length).toBeGreaterThan(0);
  for (const endpoint of writes)
    await expect(call(endpoint, { body: {} })).rejects.toThrow("Pages only read");
  expect(sent).toEqual([]);
});

test("other requests are handled between two calls of a page", async () => {
  let turns = 0;
  const seen: number[] = [];
  const { call } = createContext({
    ...request,
    async fetch() {
      setImmediate(() => {
        turns += 1;
      });
      seen.push(turns);
      return Response.json({ games: [] });
    },
  });
  for (let nth = 0; nth < 3; nth += 1) await call(listGames, {});
  expect(seen).toEqual([0, 1, 2]);
});
