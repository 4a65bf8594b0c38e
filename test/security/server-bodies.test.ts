/** Hostile request bodies: compression bombs, deep nesting, names of prototypes, encodings and numbers out of range. */
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ListeningServer, listen } from "../../src/server/http/listen.ts";
import { send, startTestService, type TestService } from "../harness.ts";
import { eachEndpoint, makeWorld, samples, type World } from "../server/sample-requests.ts";
import { errorBody } from "./wire.ts";

let service: TestService;
let world: World;
let listening: ListeningServer;

beforeAll(async () => {
  service = await startTestService();
  world = await makeWorld(service, service, "own");
  listening = await listen(service.app, { host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await listening.close();
  await service.stop();
});

const writes = eachEndpoint().filter(([, endpoint]) => endpoint.maxBody > 0);
const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024));
const prototypeNames = Object.getOwnPropertyNames(Object.prototype).join();

describe.each(writes)("%s", (name, endpoint) => {
  const post = async (body: Uint8Array | string, headers: Record<string, string> = {}) => {
    const key = world.keys[endpoint.keys[0] ?? "management"];
    const inQuery = endpoint.credential === "query";
    const answer = await send(service.app, inQuery ? `${endpoint.path}?key=${key}` : endpoint.path, {
      method: endpoint.method,
      headers: {
        ...(inQuery ? {} : { authorization: `Bearer ${key}` }),
        "content-type": "application/json",
        ...headers,
      },
      body: body as NonNullable<RequestInit["body"]>,
    });
    if (answer.status >= 400) expect(errorBody.safeParse(answer.json).error).toBeUndefined();
    expect(service.faults).toEqual([]);
    return answer;
  };
  const zipped = { "content-encoding": "gzip" };
  const sample = () => ({ ...samples[name](world).body });
  const fields = () => JSON.stringify(sample()).slice(1, -1);
  const isDone = (status: number) => status === endpoint.status || endpoint.otherStatuses.includes(status);

  it("limits the size after decompression", async () => {
    const { maxBody } = endpoint;
    const within = gzipSync(JSON.stringify(sample()).padEnd(maxBody, " "));
    const beyond = gzipSync(JSON.stringify(sample()).padEnd(maxBody + 1, " "));
    expect(isDone((await post(within, zipped)).status)).toBe(true);
    expect((await post(beyond, zipped)).status).toBe(413);
    expect((await post(bomb, zipped)).status).toBe(413);
    // Many gzip members, each within the limit.
    const member = gzipSync(" ".repeat(Math.ceil(maxBody / 8)));
    expect((await post(Buffer.concat(Array.from({ length: 9 }, () => member)), zipped)).status).toBe(413);
  });

  it("decompresses once, and rejects incomplete data", async () => {
    const whole = gzipSync(JSON.stringify(sample()));
    const refused: [what: string, bytes: Uint8Array][] = [
      ["gzip in gzip", gzipSync(whole)],
      ["a bomb in gzip", gzipSync(gzipSync(Buffer.alloc(8 * 1024 * 1024)))],
      ...[1, 2, 9, 10, 15, whole.length - 9, whole.length - 1].map((length): [string, Uint8Array] => [
        `${length} bytes of it`,
        whole.subarray(0, length),
      ]),
      ["something behind it", Buffer.concat([whole, Buffer.from("garbage")])],
      ["another magic behind it", Buffer.concat([whole, Buffer.from([0x1f, 0x8b])])],
      ["another body behind it", Buffer.concat([whole, whole])],
      ["a wrong checksum", Buffer.concat([whole.subarray(0, -8), Buffer.alloc(4), whole.subarray(-4)])],
      ["nothing", new Uint8Array()],
    ];
    for (const [what, bytes] of refused)
      expect([what, (await post(bytes, zipped)).status]).toEqual([what, 400]);
    for (const encoding of ["gzip, gzip", "br", "deflate", "zstd", "x", "gzip;q=1"])
      expect([encoding, (await post(whole, { "content-encoding": encoding })).status]).toEqual([
        encoding,
        415,
      ]);
  });

  it("accepts only UTF-8", async () => {
    const text = JSON.stringify(sample());
    const refused: [what: string, bytes: Uint8Array][] = [
      ["UTF-16", Buffer.from(text, "utf16le")],
      ["UTF-16 with its mark", Buffer.from(`\ufeff${text}`, "utf16le")],
      ["a NUL", Buffer.from(`${text}\0`)],
      ["NULs", Buffer.from("\0\0\0\0")],
      [
        "a byte of no character",
        Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xff]), Buffer.from('"}')]),
      ],
      [
        "a surrogate as bytes",
        Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
      ],
      [
        "an overlong slash",
        Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
      ],
    ];
    for (const [what, bytes] of refused) expect([what, (await post(bytes)).status]).toEqual([what, 400]);
    // A byte order mark is allowed.
    expect([200, 201, 202]).toContain((await post(`\ufeff${text}`)).status);
  });

  it("handles JSON of any depth without an internal error", async () => {
    for (const depth of [50, 99, 101, 1000, 10_000, 40_000]) {
      for (const [open, close] of [
        ["[", "]"],
        ['{"a":', "}"],
      ] as const) {
        const json = `${open.repeat(depth)}1${close.repeat(depth)}`;
        if (json.length > endpoint.maxBody / 2) continue;
        expect([400, 413]).toContain((await post(json)).status);
        // Unknown fields are ignored, with any content.
        expect([depth, isDone((await post(`{${fields()},"unknown":${json}}`)).status)]).toEqual([
          depth,
          true,
        ]);
        for (const field of Object.keys(sample())) {
          const body = JSON.stringify({ ...sample(), [field]: "MARK" }).replace('"MARK"', json);
          const answer = await post(body);
          // A list is not a valid event. Only this event is rejected.
          if (answer.status === 202) expect([field, answer.json.accepted]).toEqual(["events", 0]);
          else expect([400, 404]).toContain(answer.status);
        }
      }
    }
  });

  it("pollutes no prototype, and does not read names of prototypes as fields", async () => {
    const bad =
      '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1,"hasOwnProperty":1';
    expect(isDone((await post(`{${fields()},${bad}}`)).status)).toBe(true);
    // A value under `__proto__` does not count as a field.
    expect((await post(`{"__proto__":{${fields()}}}`)).status).toBe(400);
    for (const field of Object.keys(sample()))
      expect([400, 404]).toContain(
        (await post(JSON.stringify({ ...sample(), [field]: "MARK" }).replace('"MARK"', `{${bad}}`))).status,
      );
    expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(prototypeNames);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("uses the last of duplicate names, like JSON.parse, and does not accept numbers as text", async () => {
    for (const field of Object.keys(sample())) {
      const { [field]: _left, ...rest } = sample();
      const twice = `{${JSON.stringify(field)}:[1],${JSON.stringify(rest).slice(1, -1)}${Object.keys(rest).length > 0 ? "," : ""}${JSON.stringify(field)}:${JSON.stringify(sample()[field])}}`;
      expect([field, isDone((await post(twice)).status)]).toEqual([field, true]);
      for (const number of ["1e999", "-1e999", "-0", "1E400", "5e-324", "123456789012345678901234567890"])
        expect(
          (await post(JSON.stringify({ ...sample(), [field]: "MARK" }).replace('"MARK"', number))).status,
        ).toBe(400);
    }
    for (const text of [
      "NaN",
      "Infinity",
      "+1",
      "01",
      "0x1",
      "{'a':1}",
      "{a:1}",
      "[1,]",
      '{"a":1,}',
      "// x\n{}",
      "undefined",
      "",
      " ",
    ])
      expect([text, (await post(text)).status]).toEqual([text, 400]);
  });

  it("rejects lone surrogates and NUL in stored text", async () => {
    for (const field of Object.keys(sample()).filter((one) => typeof sample()[one] === "string")) {
      for (const text of ['"\\ud800"', '"a\\udfff"', '"\\udc00\\ud800"', '"a\\u0000b"']) {
        const body = JSON.stringify({ ...sample(), [field]: "MARK" }).replace('"MARK"', text);
        const { status } = await post(body);
        expect([field, text, [400, 404, 409].includes(status)]).toEqual([field, text, true]);
      }
    }
  });
});

describe("names of prototypes as names", () => {
  const NAMES = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "length"];

  it("are normal names of events, metadata and experiment tags", async () => {
    const own = await startTestService();
    await own.addGame("maze");
    // JSON text, because `__proto__` in an object literal sets the prototype.
    const metadata = NAMES.map((name) => `${JSON.stringify(name)}:"kept"`).join();
    const events = NAMES.map(
      (name, at) =>
        `{"id":"${name}","name":"${name}","timestamp":${own.clock.now + at},"data":{"__proto__":{"polluted":1},"room":"${name}","x":1,"y":1}}`,
    );
    const sent = await own.post(
      "/api/telemetry",
      `{"gameId":"maze","clientSessionId":"__proto__","deviceId":"__proto__","testerHandle":"constructor","sessionMetadata":{${metadata},"gameVersion":"__proto__"},"experimentTags":{${metadata}},"sessionEnded":true,"events":[${events.join()}]}`,
    );
    expect([sent.status, sent.json.accepted, sent.json.rejected]).toEqual([202, NAMES.length, []]);
    await own.analysis.drain();
    const { byName, top } = (await own.get("/api/v1/events/maze")).json;
    expect(Object.entries(byName as object).sort()).toEqual(NAMES.map((name) => [name, 1]).sort());
    expect(top).toHaveLength(NAMES.length);
    const { session } = (await own.get(`/api/v1/sessions/${sent.json.sessionId}`)).json;
    // `__proto__` is omitted, because code that merges objects does not treat it as a field.
    for (const name of NAMES)
      expect([name, Object.hasOwn(session.metadata, name)]).toEqual([name, name !== "__proto__"]);
    for (const path of [
      "builds/maze/__proto__",
      "testers/maze/__proto__",
      "testers/maze/constructor/journey",
      "heatmaps/maze",
      "builds/compare?game=maze&a=__proto__&b=__proto__",
    ])
      expect([path, (await own.get(`/api/v1/${path}`)).status]).toEqual([path, 200]);
    for (const path of [
      "builds/maze/constructor",
      "testers/maze/toString",
      "games/__proto__",
      "games/constructor",
    ])
      expect([path, (await own.get(`/api/v1/${path}`)).status]).toEqual([path, 404]);
    expect(own.faults).toEqual([]);
    await own.stop();
  });

  it("are not accepted as ids of form fields", async () => {
    for (const fieldId of NAMES) {
      const answer = await service.post("/api/telemetry/feedback", {
        requestId: fieldId,
        formId: world.formId,
        sessionId: world.sessionId,
        responses: [{ fieldId, value: "5" }],
      });
      expect([answer.status, answer.json.reason]).toEqual([400, "unknown_field"]);
    }
    expect(service.faults).toEqual([]);
  });

  it("are not found as experiments, forms, sessions, keys or tokens", async () => {
    for (const name of NAMES) {
      for (const path of [
        `experiments/${name}/comparison`,
        `sessions/${name}`,
        `batches/${world.slug}/${name}`,
        `batches/${name}`,
      ])
        expect([path, (await service.get(`/api/v1/${path}`)).status]).toEqual([path, 404]);
      expect((await service.get("/api/v1/games", { key: name })).status).toBe(401);
      const claim = { claimToken: name, gameId: world.slug, deviceId: "d" };
      expect((await service.post("/api/telemetry/claim", claim)).status).toBe(404);
    }
  });
});

describe("numbers", () => {
  it("of an event must be integers in the range of dates, otherwise only this event is rejected", async () => {
    const bad = ["1e999", "-1", "1.5", "1E400", '"1"', "null", "-1e308", "0", "-0"];
    const events = [...bad, "946684800000", "1.7e12"].map(
      (timestamp, at) => `{"id":"n${at}","name":"n","timestamp":${timestamp}}`,
    );
    const sent = await service.post(
      "/api/telemetry",
      `{"gameId":"${world.slug}","clientSessionId":"numbers","events":[${events.join()}]}`,
    );
    expect([sent.status, sent.json.accepted]).toEqual([202, 2]);
    expect(sent.json.rejected.map(({ index }: { index: number }) => index)).toEqual(bad.map((_, at) => at));
    const positions = ["1e999", "-1e999", '"1"', "null", "[]"].map(
      (x, at) =>
        `{"id":"p${at}","name":"player_pos","timestamp":946684800000,"data":{"room":"odd","x":${x},"y":1}}`,
    );
    expect(
      (
        await service.post(
          "/api/telemetry",
          `{"gameId":"${world.slug}","clientSessionId":"numbers","source":"unity-telemetry","events":[${positions.join()}]}`,
        )
      ).json.accepted,
    ).toBe(5);
    const { rooms } = (await service.get(`/api/v1/heatmaps/${world.slug}`)).json;
    expect(rooms.map(({ room }: { room: string }) => room)).not.toContain("odd");
    expect(service.faults).toEqual([]);
  });
});

it("/mcp rejects compressed bodies", async () => {
  const response = await fetch(`${listening.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${service.keys.management}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "content-encoding": "gzip",
    },
    body: gzipSync(Buffer.alloc(64 * 1024 * 1024)),
  });
  expect([response.status, service.faults]).toEqual([400, []]);
});
