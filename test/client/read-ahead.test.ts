/** The next page of a list is requested while the client parses a page, at most one page ahead. */
import { describe, expect, test } from "vitest";
import { readAhead } from "../../src/client/read-ahead.ts";
import type { TransportRequest, TransportResponse } from "../../src/client/transport.ts";

const BASE = "http://localhost/api/v1/raw-events/ember?env=qa";

/** A service with as many pages as bodies. Records the URLs of its requests. */
function createService(bodies: readonly string[], statuses: readonly number[] = []) {
  const urls: string[] = [];
  const send = async ({ url }: TransportRequest): Promise<TransportResponse> => {
    const at = urls.push(url.slice(BASE.length)) - 1;
    return { status: statuses[at] ?? 200, headers: {}, body: bodies[at] ?? "{}" };
  };
  return { urls, send };
}

const page = (next: string | null) => `{"items":[],"next":${JSON.stringify(next)},"unreadable":0}`;

function createReader(service: ReturnType<typeof createService>, abort = new AbortController()) {
  const send = readAhead(service.send, { isRead: (url) => !url.includes("limit"), signal: abort.signal });
  const request = (query: string, signal?: AbortSignal) =>
    send({ method: "GET", url: BASE + query, headers: {}, timeoutMs: 0, ...(signal ? { signal } : {}) });
  return request;
}

describe("reading ahead", () => {
  test("requests each page once", async () => {
    const service = createService([page("a"), page("b-_2"), page(null)]);
    const request = createReader(service);
    await request("");
    expect(service.urls).toEqual(["", "&cursor=a"]);
    expect((await request("&cursor=a")).body).toBe(page("b-_2"));
    expect((await request("&cursor=b-_2")).body).toBe(page(null));
    expect(service.urls).toEqual(["", "&cursor=a", "&cursor=b-_2"]);
  });

  test.each([
    ["text in an item", '{"items":["\\"next\\":\\"a\\"}"]}'],
    ["another order of fields", '{"next":"a","items":[]}'],
    ["a cursor that is no cursor", '{"next":"a&key=b"}'],
    ["a number", '{"next":1}'],
    ["no body", ""],
  ])("requests nothing after %s", async (_name, body) => {
    const service = createService([body]);
    await createReader(service)("");
    expect(service.urls).toEqual([""]);
  });

  test("requests nothing after an error, or after a page that is not read to the end", async () => {
    const service = createService([page("a"), page("b")], [200, 429]);
    const request = createReader(service);
    await request("&limit=1");
    expect(service.urls).toEqual(["&limit=1"]);
    expect((await request("")).status).toBe(429);
    expect(service.urls).toEqual(["&limit=1", ""]);
  });

  test("sends the request again after an error of the page ahead", async () => {
    const service = createService([page("a"), "{}", page(null)], [200, 503]);
    const request = createReader(service);
    await request("");
    expect((await request("&cursor=a")).status).toBe(503);
    expect((await request("&cursor=a")).status).toBe(200);
  });

  test("sends another request than the expected one", async () => {
    const service = createService([page("a"), page(null), page(null)]);
    const request = createReader(service);
    await request("");
    await request("&cursor=x");
    expect(service.urls).toEqual(["", "&cursor=a", "&cursor=x"]);
  });

  test("ends the wait and the request at a signal", async () => {
    const abort = new AbortController();
    const signals: AbortSignal[] = [];
    const send = readAhead(
      async ({ url, signal }) => {
        if (!url.includes("cursor")) return { status: 200, headers: {}, body: page("a") };
        if (signal) signals.push(signal);
        return await new Promise(() => {});
      },
      { isRead: () => true, signal: abort.signal },
    );
    const request = { method: "GET", headers: {}, timeoutMs: 0 };
    await send({ ...request, url: BASE });
    const own = new AbortController();
    const waiting = send({ ...request, url: `${BASE}&cursor=a`, signal: own.signal });
    own.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    abort.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});
