/** Raw responses over real sockets, with both transports: redirects, incomplete and slow responses, headers and waits. */
import { describe, expect, test } from "vitest";
import { type ClientOptions, callEndpoint } from "../../src/client/client.ts";
import { httpTransport } from "../../src/client/http-transport.ts";
import type { Transport } from "../../src/client/transport.ts";
import { createUndiciTransport } from "../../src/client/undici-transport.ts";
import { listGames } from "../../src/contract/games.ts";
import { playtest } from "../cli/program.ts";
import { readCommands } from "../cli/read-commands.ts";
import { SELF_SIGNED, serveSelfSigned } from "../client/sockets.ts";
import { runCli } from "../harness.ts";
import { forbiddenIn } from "../render/samples.ts";
import { answerOf, type Behaviour, hostile } from "./hostile-server.ts";

const KEY = "pt_mgmt_0123456789abcdef";
const INGEST = "pt_ik_0123456789abcdef";
const LONG = process.env.PLAYTEST_FAULTS === "long";

const envOf = (url: string) => ({
  PLAYTEST_BASE_URL: url,
  PLAYTEST_KEY: KEY,
  PLAYTEST_INGEST_KEY: INGEST,
  PLAYTEST_GAME: "ember",
});

/** Runs a command over a real socket. Waits end at once. */
const run = (line: string, url: string, flags: readonly string[] = [], tty = true) =>
  runCli([...line.split(" "), ...flags], {
    env: envOf(url),
    transport: httpTransport,
    tty,
    stdin: '{"gameId":"ember","events":[]}\n',
  });

const game = { id: "game_1", userId: "u", name: "Ember", slug: "ember", createdAt: 1 };
const games = JSON.stringify({ games: [game] });

describe("a redirect", () => {
  const sending = [
    ...Object.keys(readCommands),
    "api games",
    "doctor",
    "report 1 2",
    "gate 1 2",
    "export sessions --out x",
    "sessions list --all",
    "ingest telemetry -",
  ];

  test("is never followed by any command", async () => {
    const taken = await hostile((socket) => void socket.end(answerOf(games)));
    const targets = [
      `${taken.url}/api/v1/games`,
      `//127.0.0.1:${taken.port}/`,
      "file:///etc/passwd",
      "/api/v1/games",
    ];
    let status = 301;
    for (const line of sending) {
      const target = targets[status % targets.length] ?? "";
      const first = await hostile((socket) => {
        const head = `HTTP/1.1 ${status} Moved\r\nlocation: ${target}\r\nrefresh: 0;url=${taken.url}\r\nalt-svc: h2="127.0.0.1:${taken.port}"\r\n`;
        socket.end(answerOf(games, head));
      });
      const { code, err } = await run(line, first.url, line.startsWith("export") ? ["--unpaced"] : []);
      expect([line, code > 0, first.received().includes("_0123456789abcdef")]).toEqual([line, true, true]);
      if (line !== "doctor") expect(err).toContain(`The service responded with a redirect`);
      status = status === 303 ? 307 : status === 308 ? 301 : status + 1;
    }
    expect([taken.requests(), taken.received()]).toEqual([0, ""]);
  });

  test("from https to http is not followed by a real process", async () => {
    const taken = await hostile((socket) => void socket.end(answerOf(games)));
    const secure = await serveSelfSigned((_request, response) => {
      response.writeHead(307, { location: taken.url });
      response.end();
    });
    const env = { ...envOf(`https://localhost:${secure.port}`), NODE_EXTRA_CA_CERTS: SELF_SIGNED };
    for (const line of ["games list", "builds list"]) {
      const { exitCode, stderr } = await playtest(line.split(" "), { env });
      expect([exitCode, stderr]).toEqual([
        53,
        expect.stringContaining("The service responded with a redirect"),
      ]);
    }
    await secure.close();
    expect(taken.received()).toBe("");
  });
});

/** Client options whose waits end at once, and the list of waits. */
function optionsOf(url: string, transport: Transport, timeoutMs = 5000, maxWaitMs = 120_000) {
  const waits: number[] = [];
  const options: ClientOptions = {
    baseUrl: url,
    key: KEY,
    transport,
    timeoutMs,
    maxWaitMs,
    waiting: { sleep: async (ms) => void waits.push(ms), random: () => 0.5, onWait: () => {} },
  };
  return { options, waits };
}

const outcome = async (options: ClientOptions): Promise<string> =>
  await callEndpoint(listGames, {}, options).then(
    () => "answered",
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );

describe.each([
  ["httpTransport", () => ({ send: httpTransport, close: async () => {} })],
  ["undiciTransport", () => createUndiciTransport({}, 5000)],
])("%s", (_name, make) => {
  test("reports an incomplete response as an error, wherever it ends", async () => {
    const plain = answerOf(games);
    const chunked = Buffer.from(
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${games.length.toString(16)}\r\n${games}\r\n0\r\n\r\n`,
    );
    for (const whole of [plain, chunked]) {
      for (let at = LONG ? 0 : whole.length % 3; at < whole.length; at += LONG ? 1 : 3) {
        const { url } = await hostile((socket) => void socket.end(whole.subarray(0, at)));
        const pool = make();
        expect([at, await outcome(optionsOf(url, pool.send).options)]).toEqual([at, "network"]);
        await pool.close();
      }
    }
  });

  const drip =
    (head: string, bytes: string): Behaviour =>
    (socket) => {
      socket.write(head);
      const timer = setInterval(() => socket.write(bytes), 20);
      socket.on("close", () => clearInterval(timer));
    };

  test.each([
    ["the body", drip("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n", " ")],
    ["chunks", drip("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "1\r\n \r\n")],
    ["the headers", drip("HTTP/1.1 200 OK\r\nx-slow: ", "y")],
    ["early hints", drip("", "HTTP/1.1 103 Early Hints\r\n\r\n")],
  ])("times out if a service sends %s very slowly", async (_what, behave) => {
    const { url } = await hostile(behave);
    const pool = make();
    const { options } = optionsOf(url, pool.send, 100);
    const once = {
      ...options,
      waiting: { ...options.waiting, sleep: () => Promise.reject(new Error("again")) },
    };
    expect(await outcome(once)).toBe("again");
    await pool.close();
  });

  test("reads invalid UTF-8, duplicate names and names of prototypes as data", async () => {
    const bodies = [
      Buffer.concat([
        Buffer.from('{"games":[],"x":"'),
        Buffer.from([0xff, 0xc0, 0x80, 0xed, 0xa0]),
        Buffer.from('"}'),
      ]),
      Buffer.from('{"games":1,"games":[]}'),
      Buffer.from('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"games":[]}'),
    ];
    for (const body of bodies) {
      const { url } = await hostile((socket) => void socket.end(answerOf(body)));
      const pool = make();
      expect(await outcome(optionsOf(url, pool.send).options)).toBe("answered");
      await pool.close();
    }
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test("ignores bytes after a response", async () => {
    const forged = answerOf('{"games":[{"forged":1}]}');
    const { url } = await hostile((socket) => void socket.write(Buffer.concat([answerOf(games), forged])));
    const pool = make();
    const { options } = optionsOf(url, pool.send, 1000);
    for (let nth = 0; nth < 3; nth += 1)
      expect(await callEndpoint(listGames, {}, options)).toEqual({ games: [game] });
    await pool.close();
  });

  test("limits the waits for the rate limit, independent of the response", async () => {
    const tellings = [
      "-1",
      "-1e308",
      "0",
      "1e308",
      "1e999",
      "null",
      '"Infinity"',
      "[]",
      "0.0001",
      "9007199254740993",
    ];
    for (const told of tellings) {
      for (const header of [
        "",
        "retry-after: -5\r\n",
        "retry-after: 99999999999\r\n",
        "retry-after: NaN\r\n",
      ]) {
        const head = `HTTP/1.1 429 Too Many\r\n${header}`;
        const { url } = await hostile(
          (socket) => void socket.end(answerOf(`{"error":"slow","retryAfterMs":${told}}`, head)),
        );
        const pool = make();
        const { options, waits } = optionsOf(url, pool.send);
        expect([told, header, await outcome(options)]).toEqual([told, header, "rate_limited"]);
        expect([waits.length < 25, waits.every((ms) => ms >= 0 && ms <= 120_000)]).toEqual([true, true]);
        await pool.close();
      }
    }
  });
});

test("export limits the waits for the rate limit", async () => {
  for (const told of ["1e308", "0", "3599999"]) {
    const { url } = await hostile((socket) =>
      socket.end(answerOf(`{"error":"slow","retryAfterMs":${told}}`, "HTTP/1.1 429 Too Many\r\n")),
    );
    const { code, waits } = await run("export sessions", url);
    expect([told, code]).toEqual([told, 49]);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(3_600_000);
  }
});

test("headers and bodies of errors never send control characters to the terminal", async () => {
  const attack = "\x1b[2J\x1b]8;;http://evil.test\x07x\x9b31m\x9d52;c;QQ==\x9c\x08\x7f\t";
  const heads = [
    `HTTP/1.1 500 ${attack}\r\nx-request-id: ${attack}\r\n`,
    `HTTP/1.1 302 Found\r\nlocation: http://x/${attack}\r\n`,
    `HTTP/1.1 401 No\r\nwww-authenticate: ${attack}\r\nx-request-id: ${attack}\r\n`,
    `HTTP/1.1 429 No\r\nretry-after: ${attack}\r\n`,
    `HTTP/1.1 999 ${attack}\r\n`,
    `HTTP/1.1 200 OK\r\nx-request-id: ${attack}\r\n`,
  ];
  const text = JSON.stringify(`${attack}\u202e\r\n::error::x`);
  for (const head of heads) {
    for (const body of [`{"error":${text},"issues":[{"path":[${text}],"message":${text}}]}`, attack]) {
      const { url } = await hostile((socket) => void socket.end(answerOf(body, head)));
      for (const line of ["games list", "doctor", "api games --debug", "export sessions --log-format json"]) {
        const { code, out, err } = await run(line, url, ["--max-wait", "0"]);
        expect([line, code > 0, forbiddenIn(out + err, "\n")]).toEqual([line, true, []]);
        // Without a terminal, the reader may be a CI runner, which would run such lines as commands.
        const piped = await run(line, url, ["--max-wait", "0"], false);
        expect(piped.err).not.toMatch(/^\s*::/m);
      }
    }
  }
});

test("no output contains a key", async () => {
  const echo = await hostile((socket) => void socket.end(answerOf('{"error":"no"}', "HTTP/1.1 400 Bad\r\n")));
  for (const line of ["games list --debug --json", "doctor --json", "ingest discord --channel x --debug"]) {
    const { out, err } = await run(line, echo.url);
    expect(out + err).not.toMatch(/0123456789abcdef/);
  }
  const { port } = new URL(echo.url);
  const unreachable = await run(
    "ingest discord --channel x --debug",
    `http://127.0.0.1:${Number(port) === 1 ? 2 : 1}`,
  );
  expect([unreachable.code, unreachable.err.includes("0123456789abcdef")]).toEqual([51, false]);
});
