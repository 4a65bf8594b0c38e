/** Invalid HTTP on a listening service: it gets a 4xx or no response, and requests cannot be smuggled in others. */
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ListeningServer, listen } from "../../src/server/http/listen.ts";
import { freshFolder, startTestService, type TestService } from "../harness.ts";
import fc from "../property.ts";
import { endAll, serve } from "../server/real-server.ts";
import { exchange, expectValidResponse, parseRequests, parseResponses } from "./wire.ts";

const LONG = process.env.PLAYTEST_FAULTS === "long";
/** The number of streams, and of concurrent ones. */
const [STREAMS, REAL_STREAMS, AT_ONCE] = LONG ? [200_000, 20_000, 25] : [1500, 250, 25];

let service: TestService;
let listening: ListeningServer;
/** The targets of all requests that reached the app. */
const receivedUrls: string[] = [];
/** Requests with `hold` in their target wait for this promise. */
let held: Promise<void> = Promise.resolve();

beforeAll(async () => {
  service = await startTestService();
  await service.addGame("maze");
  const fetch: typeof service.app.fetch = async (request, peer) => {
    receivedUrls.push(request.url);
    if (request.url.includes("hold")) await held;
    return await service.app.fetch(request, peer);
  };
  listening = await listen({ fetch }, { host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await listening.close();
  await service.stop();
  await endAll();
});

const head = () => `Host: localhost\r\nAuthorization: Bearer ${service.keys.management}\r\n`;
const ingest = () =>
  `Host: localhost\r\nAuthorization: Bearer ${service.keys.ingest}\r\nContent-Type: application/json\r\n`;
const hidden = () => `GET /api/v1/games/hidden HTTP/1.1\r\n${head()}\r\n`;
const last = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
const body = '{"gameId":"maze","events":[]}';
const size = body.length.toString(16);
const get = (more: string, rest = last) => `GET /api/v1/games HTTP/1.1\r\n${head()}${more}\r\n${rest}`;
const post = (more: string, rest: string) => `POST /api/telemetry HTTP/1.1\r\n${ingest()}${more}\r\n${rest}`;
const chunked = (rest: string) => post("Transfer-Encoding: chunked\r\n", `${rest}${last}`);
const ask = (line: string, more = "") => `${line}\r\n${head()}${more}\r\n${last}`;

/** The sent bytes, and the statuses of the responses before the connection closes. */
const table: readonly (readonly [what: string, bytes: () => string, statuses: readonly number[]])[] = [
  // The length of bodies.
  [
    "length and chunks",
    () =>
      post(
        `Content-Length: ${hidden().length + 5}\r\nTransfer-Encoding: chunked\r\n`,
        `0\r\n\r\n${hidden()}${last}`,
      ),
    [400],
  ],
  [
    "chunks and length",
    () => post("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", `0\r\n\r\n${hidden()}${last}`),
    [400],
  ],
  [
    "two lengths that differ",
    () => post(`Content-Length: 0\r\nContent-Length: ${hidden().length}\r\n`, `${hidden()}${last}`),
    [400],
  ],
  ["two lengths", () => post("Content-Length: 29\r\nContent-Length: 29\r\n", `${body}${last}`), [400]],
  ...["0, 29", "+29", "-1", "0x1d", "2 9", "99999999999999999999", "", "29 29", "1e1"].map(
    (length) =>
      [
        `a length of ${JSON.stringify(length)}`,
        () => post(`Content-Length: ${length}\r\n`, `${hidden()}${last}`),
        [400],
      ] as const,
  ),
  ["a length with a space before its colon", () => post("Content-Length : 29\r\n", `${body}${last}`), [400]],
  ...[
    "xchunked",
    "chunked, identity",
    "identity",
    "\x0bchunked",
    "chunked, chunked",
    "chunked,chunked x",
  ].map(
    (coding) =>
      [
        `the coding ${JSON.stringify(coding)}`,
        () => post(`Transfer-Encoding: ${coding}\r\n`, `0\r\n\r\n${hidden()}${last}`),
        [400],
      ] as const,
  ),
  [
    "two codings",
    () =>
      post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", `0\r\n\r\n${hidden()}${last}`),
    [400],
  ],
  [
    "a folded coding",
    () => post("Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n", `0\r\n\r\n${hidden()}${last}`),
    [400],
  ],
  ...["gzip, chunked", "hunked\r\nTransfer-Encoding: chunked", "chunked x, CHUNKED"].map(
    (coding) =>
      [
        `chunks within which is the coding ${JSON.stringify(coding)}`,
        () => post(`Transfer-Encoding: ${coding}\r\n`, `${size}\r\n${body}\r\n0\r\n\r\n${last}`),
        [415, 200],
      ] as const,
  ),
  // Chunks.
  ["chunks", () => chunked(`${size}\r\n${body}\r\n0\r\n\r\n`), [202, 200]],
  ["extensions of chunks", () => chunked(`${size};a=b;c="d"\r\n${body}\r\n0\r\n\r\n`), [202, 200]],
  ["huge extensions", () => chunked(`${size};a=${"b".repeat(20_000)}\r\n${body}\r\n0\r\n\r\n`), [413]],
  ...["zz", "0x1d", "-1", "1000000000000000000001d", "3", "", "1d ", "1d;\n2"].map(
    (chunkSize) =>
      [
        `a chunk of size ${JSON.stringify(chunkSize)}`,
        () => chunked(`${chunkSize}\r\n${body}\r\n0\r\n\r\n${hidden()}`),
        [400],
      ] as const,
  ),
  ["chunks that end in LF", () => chunked(`${size}\n${body}\n0\n\n${hidden()}`), [400]],
  [
    "a trailer that tells a length",
    () => chunked(`${size}\r\n${body}\r\n0\r\nContent-Length: 3\r\n\r\n`),
    [400],
  ],
  // Bodies that the app does not read.
  ["a body of a GET", () => get(`Content-Length: ${hidden().length}\r\n`, `${hidden()}${last}`), [200, 200]],
  [
    "a body without a key",
    () =>
      `POST /api/telemetry HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${hidden().length}\r\n\r\n${hidden()}${last}`,
    [401, 200],
  ],
  [
    "a body of another type",
    () =>
      `POST /api/telemetry HTTP/1.1\r\n${ingest().replace("json", "x")}Content-Length: ${hidden().length}\r\n\r\n${hidden()}${last}`,
    [415, 200],
  ],
  // Header lines.
  ["a folded header", () => get("X-A: b\r\n c\r\n"), [400]],
  ["a fold before any header", () => ask("GET /api/v1/games HTTP/1.1\r\n X-A: b"), [400]],
  ["lines that end in LF", () => get("").replaceAll("\r\n", "\n"), [400]],
  ...["b\nX-B: c", "b\rX-B: c", "b\0c", "b\r\r", "\x7f"].map(
    (value) => [`a header of ${JSON.stringify(value)}`, () => get(`X-A: ${value}\r\n`), [400]] as const,
  ),
  ...["nonsense", ": x", "X\0A: b", "X A: b", "(a): b", "X-A : b"].map(
    (line) => [`the header line ${JSON.stringify(line)}`, () => get(`${line}\r\n`), [400]] as const,
  ),
  ["a header of 20 kB", () => get(`a: ${"b".repeat(20_000)}\r\n`), [431]],
  ["10,000 headers", () => get("a: b\r\n".repeat(10_000)), [431]],
  [
    "a key behind 2,500 headers",
    () => `GET /api/v1/games HTTP/1.1\r\n${"a:\r\n".repeat(2500)}${head()}\r\n${last}`,
    [200, 200],
  ],
  ["two Hosts", () => get("Host: evil.example\r\n"), [400, 200]],
  ["the same Host twice", () => get("Host: localhost\r\n"), [400, 200]],
  ["two keys", () => get("Authorization: Bearer x\r\n"), [401, 200]],
  ...["local\0host", "a b", ""].map(
    (host) =>
      [
        `the Host ${JSON.stringify(host)}`,
        () => `GET /api/v1/games HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        [400],
      ] as const,
  ),
  ...["localhost@evil.example", "localhost/api/v1/games?", "localhost#"].map(
    (host) =>
      [`the Host ${host}`, () => `GET /x HTTP/1.1\r\nHost: ${host}\r\n\r\n${last}`, [400, 200]] as const,
  ),
  // Request lines.
  ...[
    "FROB / HTTP/1.1",
    "get / HTTP/1.1",
    "GET\t/ HTTP/1.1",
    "GET / HTTP/1.2",
    "GET / HTTP/2.0",
    "GET / HTTP/0.9",
    "GET /",
    "GET / HTTP/1.1 x",
    "GET / http/1.1",
    "GET /\\ HTTP/1.1x",
    "PRI * HTTP/2.0",
    "\x16\x03\x01",
    "GET",
  ].map((line) => [JSON.stringify(line), () => ask(line), [400]] as const),
  ...["*", "ftp://localhost/", "file:///etc/passwd", "http://[", "http://"].map(
    (target) => [`the target ${target}`, () => ask(`GET ${target} HTTP/1.1`), [400, 200]] as const,
  ),
  ["a target that is an authority", () => ask("GET localhost:80 HTTP/1.1"), [400]],
  ["a whole address", () => ask("GET http://localhost/api/v1/games HTTP/1.1"), [200, 200]],
  [
    "a foreign address behind a Host of its own",
    () => ask("GET http://evil.example/api/v1/games HTTP/1.1"),
    [421, 200],
  ],
  ["a path of two slashes", () => ask("GET //evil.example/api/v1/games HTTP/1.1"), [404, 200]],
  ["a fragment", () => ask("GET /api/v1/games#x HTTP/1.1"), [404, 200]],
  ["a tunnel", () => `CONNECT localhost:80 HTTP/1.1\r\n${head()}\r\n${hidden()}${last}`, [405]],
  ["a tunnel to a path", () => `CONNECT /api/v1/games HTTP/1.1\r\n${head()}\r\n${hidden()}${last}`, [405]],
  ...["TRACE", "PUT", "PATCH", "PROPFIND", "POST"].map(
    (method) => [method, () => ask(`${method} /api/v1/games HTTP/1.1`), [405, 200]] as const,
  ),
  [
    "a method in a header",
    () =>
      ask(
        "POST /api/v1/games HTTP/1.1",
        "X-HTTP-Method-Override: GET\r\nX-HTTP-Method: GET\r\n_method: GET\r\n",
      ),
    [405, 200],
  ],
  [
    "a GET that would be a POST",
    () => ask("GET /api/telemetry HTTP/1.1", "X-HTTP-Method-Override: POST\r\n"),
    [403, 200],
  ],
  // Upgrades and CONNECT.
  [
    "an upgrade, which ends the connection",
    () => get("Connection: Upgrade\r\nUpgrade: websocket\r\n", hidden()),
    [200],
  ],
  [
    "an upgrade with a body",
    () =>
      post(
        "Connection: Upgrade\r\nUpgrade:\r\nTransfer-Encoding: chunked\r\n",
        `${size}\r\n${body}\r\n0\r\n\r\n${hidden()}`,
      ),
    [202],
  ],
  [
    "no HTTP behind an upgrade with a body",
    () =>
      post(
        "Connection: Upgrade\r\nUpgrade: x\r\nTransfer-Encoding: chunked\r\n",
        `${size}\r\n${body}\r\n0\r\n\r\nnonsense\r\n\r\n`,
      ),
    [202],
  ],
  [
    "an upgrade to HTTP/2",
    () =>
      get(
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAA\r\n",
        hidden(),
      ),
    [200],
  ],
  [
    "an expectation",
    () => post(`Content-Length: ${body.length}\r\nExpect: 100-continue\r\n`, `${body}${last}`),
    [202, 200],
  ],
  ["an expectation that nobody knows", () => get("Expect: wonders\r\n"), [200, 200]],
  ["HTTP/1.0", () => `GET /api/v1/games HTTP/1.0\r\n${head()}\r\n`, [200]],
  [
    "HTTP/1.0 that stays",
    () => `GET /api/v1/games HTTP/1.0\r\n${head()}Connection: keep-alive\r\n\r\n${last}`,
    [200, 200],
  ],
  [
    "HTTP/1.0 with chunks",
    () =>
      `POST /api/telemetry HTTP/1.0\r\n${ingest()}Transfer-Encoding: chunked\r\n\r\n${size}\r\n${body}\r\n0\r\n\r\n${hidden()}`,
    [202],
  ],
  ["requests behind the last", () => get("Connection: close\r\n", hidden()), [200]],
  ["requests in one packet", () => get("", get("")), [200, 200, 200]],
  ["no HTTP behind requests", () => get("", get("", "nonsense\r\n\r\n")), [200, 200, 400]],
  ["empty lines between requests", () => `\r\n\r\n${get("", `\r\n\r\n${last}`)}`, [200, 200]],
];

describe("on the wire", () => {
  it.each(table)("%s", async (_what, bytes, statuses) => {
    receivedUrls.length = 0;
    const responses = parseResponses(await exchange(listening.port, bytes()));
    expect(responses.map(({ status }) => status)).toEqual(statuses);
    for (const response of responses) expectValidResponse(response);
    expect(receivedUrls.filter((url) => url.includes("hidden"))).toEqual([]);
    expect(service.faults).toEqual([]);
  });

  it("a HEAD request with a body gets a response without one", async () => {
    const bytes = `HEAD /api/v1/games HTTP/1.1\r\n${head()}Content-Length: ${hidden().length}\r\n\r\n${hidden()}${last}`;
    const responses = parseResponses(await exchange(listening.port, bytes), (index) => index === 0);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe("a request without a response", () => {
  const slow = () => `GET /api/v1/games?hold HTTP/1.1\r\n${head()}\r\n`;

  it.each([
    ["no HTTP", () => "nonsense\r\n\r\n", [200, 400]],
    ["a broken body", () => post("Transfer-Encoding: chunked\r\n", "zz\r\n"), [200, 400]],
    ["a tunnel", () => `CONNECT x:1 HTTP/1.1\r\n${head()}\r\n`, [200, 405]],
  ])("still gets its response if %s follows", async (_what, bytes, statuses) => {
    let go = () => {};
    held = new Promise((resolve) => {
      go = resolve;
    });
    receivedUrls.length = 0;
    const answered = exchange(listening.port, slow() + bytes() + bytes());
    await expect.poll(() => receivedUrls.length).toBeGreaterThan(0);
    go();
    expect(parseResponses(await answered).map(({ status }) => status)).toEqual(statuses);
    expect(service.faults).toEqual([]);
  });
});

describe("a request that gets its response before its body is received", () => {
  it.each([
    ["breaks off", "Content-Length: 2000000\r\n", ""],
    ["turns out to be none", "Transfer-Encoding: chunked\r\n", "zz\r\n"],
  ])("gets no second response if its body %s", async (_how, framing, rest) => {
    const socket = connect(listening.port, "127.0.0.1");
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    socket.on("error", () => {});
    socket.write(`POST /api/telemetry HTTP/1.1\r\nHost: localhost\r\n${framing}\r\n`);
    await expect.poll(() => received).toContain("Missing bearer token");
    socket.end(rest);
    await once(socket, "close");
    expect(parseResponses(received).map(({ status }) => status)).toEqual([401]);
    expect(service.faults).toEqual([]);
  });
});

/** Parts of streams. Most are valid requests, because otherwise all streams would end at the first byte. */
function streams(): fc.Arbitrary<string> {
  const id = fc.nat(999).map((n) => `r${n}`);
  const fields = fc.array(
    fc.constantFrom(
      "Content-Length: 0\r\n",
      "Content-Length: 5\r\n",
      "Content-Length: 5\r\nContent-Length: 0\r\n",
      "Transfer-Encoding: chunked\r\n",
      "Transfer-Encoding: Chunked\r\n",
      "Transfer-Encoding: gzip, chunked\r\n",
      "transfer-encoding: chunked \r\n",
      "Connection: close\r\n",
      "Connection: keep-alive\r\n",
      "Connection: Upgrade\r\nUpgrade: x\r\n",
      "Upgrade: x\r\n",
      "Expect: 100-continue\r\n",
      "X: y\r\n",
      "X:\r\n",
      "Trailer: X\r\n",
      "Content-Encoding: gzip\r\n",
      "Content-Type: application/json\r\n",
    ),
    { maxLength: 2 },
  );
  const content = fc.constantFrom(
    "",
    "",
    "0\r\n\r\n",
    "abcde",
    "5\r\nabcde\r\n0\r\n\r\n",
    "5;x=y\r\nabcde\r\n0\r\nX: y\r\n\r\n",
    "\r\n",
    "0\r\n",
  );
  const request = fc
    .tuple(
      fc.constantFrom("GET", "GET", "POST", "DELETE", "OPTIONS", "PUT"),
      id,
      fc.constantFrom("1.1", "1.1", "1.1", "1.0"),
      fields,
      content,
    )
    .map(
      ([method, name, version, more, rest]) =>
        `${method} /api/v1/games/${name} HTTP/${version}\r\n${head()}${more.join("")}\r\n${rest}`,
    );
  const nasty = fc.constantFrom(
    "\r",
    "\n",
    "\r\n",
    " ",
    "\t",
    "\0",
    ":",
    ";",
    ",",
    "0",
    "\x0b",
    "\xff",
    "\r\n\r\n",
    "\r\n ",
    "chunked",
    "\x7f",
    "/",
    "1",
  );
  const edit = fc.record({
    at: fc.nat(),
    length: fc.constantFrom(0, 0, 1, 2, 40),
    text: fc.oneof(nasty, fc.constant("")),
  });
  return fc
    .tuple(fc.array(request, { minLength: 1, maxLength: 4 }), fc.array(edit, { maxLength: 3 }))
    .map(([requests, edits]) =>
      edits.reduce((text, { at, length, text: put }) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + put + text.slice(place + length);
      }, requests.join("")),
    );
}

/** Counts the responses in received bytes. */
function countIn(received: string): number {
  try {
    return parseResponses(received).length;
  } catch {
    return 0;
  }
}

/** Sends a stream, and checks the responses against the requests in it according to RFC 9112. */
async function tryStream(port: number, bytes: string): Promise<void> {
  const frames = parseRequests(bytes);
  const whole = frames.targets.length;
  const received = await exchange(port, bytes, (text) => frames.end === "open" && countIn(text) >= whole);
  const responses = parseResponses(received);
  for (const response of responses) expectValidResponse(response);
  expect(responses.length, JSON.stringify(bytes)).toBeLessThanOrEqual(whole + 1);
  // A client that closes during a request may close before it has read the earlier responses.
  if (frames.end === "open" || frames.end === "closed")
    expect(responses.length).toBeGreaterThanOrEqual(Math.min(whole, 1));
  if (frames.end === "closed") expect(responses.length).toBeLessThanOrEqual(whole);
}

/** Sends streams concurrently, and waits for all before it reports a failure. */
async function tryAll(port: number, all: readonly string[]): Promise<void> {
  const tried = await Promise.allSettled(all.map((bytes) => tryStream(port, bytes)));
  for (const one of tried) if (one.status === "rejected") throw one.reason;
}

const extractIds = (texts: readonly string[]) => texts.map((text) => /\/(r\d+x\d*)/.exec(text)?.[1] ?? "");

describe("streams of requests with bytes changed at random", () => {
  it("lead only to requests that they contain, in their order, and to valid responses", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(streams(), { minLength: AT_ONCE, maxLength: AT_ONCE }), async (all) => {
        receivedUrls.length = 0;
        // The targets contain the number of the stream, to assign requests to streams.
        const marked = all.map((bytes, at) => bytes.replaceAll("/api/v1/games/r", `/api/v1/games/r${at}x`));
        await tryAll(listening.port, marked);
        for (const [at, bytes] of marked.entries()) {
          const { targets, broken } = parseRequests(bytes);
          const sentIds = extractIds(broken === null ? targets : [...targets, broken]);
          const own = new RegExp(`^r${at}x`);
          const reached = extractIds(receivedUrls).filter((one) => own.test(one));
          let from = 0;
          for (const one of reached) {
            const found = sentIds.indexOf(one, from);
            expect([JSON.stringify(bytes), one, found >= 0]).toEqual([JSON.stringify(bytes), one, true]);
            from = found + 1;
          }
        }
      }),
      { numRuns: Math.ceil(STREAMS / AT_ONCE) },
    );
    expect(service.faults).toEqual([]);
    expect((await service.get("/api/v1/games")).status).toBe(200);
  });

  it("do not crash or block a server in a separate process", async () => {
    const folder = freshFolder();
    const server = await serve(folder, "wire");
    const port = Number(new URL(server.url).port);
    await fc.assert(
      fc.asyncProperty(fc.array(streams(), { minLength: AT_ONCE, maxLength: AT_ONCE }), async (all) => {
        await tryAll(port, all);
      }),
      { numRuns: Math.ceil(REAL_STREAMS / AT_ONCE) },
    );
    const games = await fetch(`${server.url}/api/v1/games`, {
      headers: { authorization: `Bearer ${server.managementKey}` },
    });
    expect([games.status, server.stderr()]).toEqual([200, ""]);
    await endAll();
    rmSync(folder, { recursive: true, force: true });
  });
});
