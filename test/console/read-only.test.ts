/** Pages only read: they can call no endpoint that writes. */
import { expect, test } from "vitest";
import { createContext } from "../../src/console/pages.ts";
import type { Endpoint } from "../../src/contract/define.ts";
import { endpoints } from "../../src/contract/index.ts";

test("a page cannot call an endpoint that writes, and nothing is sent", async () => {
  const sent: Request[] = [];
  const { call } = createContext({
    ...{ path: "/", query: "", reader: null, now: 0, report: () => {} },
    async fetch(request) {
      sent.push(request);
      return new Response("{}");
    },
  });
  const writes = Object.values<Endpoint>(endpoints).filter(({ method }) => method !== "GET");
  expect(writes.length).toBeGreaterThan(0);
  for (const endpoint of writes)
    await expect(call(endpoint, { body: {} })).rejects.toThrow("Pages only read");
  expect(sent).toEqual([]);
});
