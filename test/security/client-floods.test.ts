/** Endless responses to real processes: memory and time are limited, and the error is clear. */
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { playtest } from "../cli/program.ts";
import { answerOf, type Behaviour, flood, hostile } from "./hostile-server.ts";

const KiB = 1024;
const MiB = KiB * KiB;
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
const text = Buffer.alloc(64 * KiB, "x");
const part = Buffer.concat([Buffer.from("10000\r\n"), text, Buffer.from("\r\n")]);
const zeros = Buffer.alloc(200 * MiB);

/** Returns the peak memory of a process in bytes; 0 if it has exited. */
function peakOf(pid: number): number {
  try {
    const [, held = 0] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(held) * KiB;
  } catch {
    return 0;
  }
}

async function meet(line: string, behave: Behaviour, timeout: string) {
  const { url } = await hostile(behave);
  const env = { PLAYTEST_BASE_URL: url, PLAYTEST_KEY: "secret-key", PLAYTEST_GAME: "ember" };
  const child = playtest([...line.split(" "), "--timeout", timeout], { env });
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid ?? 0));
  }, 5);
  const { exitCode, stderr } = await child;
  clearInterval(watch);
  return { code: exitCode, stderr: String(stderr), peak };
}

const large = /^error: http:\/\/127\.0\.0\.1:\d+ sent a response larger than 64 MiB$/m;
/** Never completes the first response, but sends the second. */
const late = /^http:\/\/127\.0\.0\.1:\d+ did not respond within 3 s\. Retrying in/m;
const broken = /^error: The response of .* is not valid JSON$/m;

/** Valid responses to all commands of this test. */
const fine = answerOf('{"games":[],"items":[],"hasMore":false,"total":0}');
const first =
  (behave: Behaviour): Behaviour =>
  (socket, target, nth) =>
    nth === 0 ? behave(socket, target, nth) : socket.end(fine);
const bombs = {
  gzip: answerOf(gzipSync(zeros), `${HEAD}content-encoding: gzip\r\n`),
  br: answerOf(
    brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
    `${HEAD}content-encoding: br\r\n`,
  ),
};

/** The response, the expected error, and the memory limit in MiB. */
const floods: Readonly<Record<string, readonly [behave: Behaviour, stderr: RegExp, maxMiB: number]>> = {
  "10 GB of a body with Content-Length": [
    (socket) => {
      socket.write(`${HEAD}content-length: 10000000000\r\n\r\n`);
      flood(socket, text);
    },
    large,
    400,
  ],
  "a chunked body without an end": [
    (socket) => {
      socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`);
      flood(socket, part);
    },
    large,
    400,
  ],
  "chunks of a byte without an end": [
    first((socket) => {
      socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`);
      flood(socket, Buffer.from("1\r\nx\r\n".repeat(10_000)));
    }),
    late,
    400,
  ],
  "an error with a body without an end": [
    (socket) => {
      socket.write("HTTP/1.1 404 Not Found\r\n\r\n");
      flood(socket, text);
    },
    large,
    400,
  ],
  "a gzip bomb": [(socket) => void socket.end(bombs.gzip), broken, 250],
  "a brotli bomb": [(socket) => void socket.end(bombs.br), broken, 250],
  "early hints without an end": [
    first((socket) =>
      flood(socket, Buffer.from("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(100))),
    ),
    late,
    400,
  ],
  "headers without an end": [
    (socket) => {
      socket.write(HEAD);
      flood(socket, Buffer.from(`x-more: ${"y".repeat(1000)}\r\n`));
    },
    /^error: Cannot reach http:\/\/127\.0\.0\.1:\d+: .*overflow/im,
    250,
  ],
  "a million games and sessions that are none": [
    (socket) => {
      const list = `[${"{},".repeat(1_000_000)}{}]`;
      socket.end(answerOf(`{"games":${list},"items":${list},"hasMore":false,"total":1}`, HEAD));
    },
    /^error: The response of \/api\/v1\/\w+ does not match the API contract: \w+\.0\.id /m,
    700,
  ],
  "brackets 100,000 deep": [
    (socket) => void socket.end(answerOf(`{"games":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, HEAD)),
    broken,
    250,
  ],
};

const isLinux = process.platform === "linux";

/** Floods to test with pooled connections too, which commands with several requests use. The long form tests all. */
const pooled = process.env.PLAYTEST_FAULTS === "long" ? /./ : /^(a chunked body|early hints)/;
const floodRuns = Object.entries(floods).flatMap(([what, [behave, stderr, maxMiB]]) => {
  const lines = pooled.test(what) ? ["games list", "sessions list --all"] : ["games list"];
  return lines.map((line) => ({ line, what, behave, stderr, maxMiB }));
});

test.runIf(isLinux).each(floodRuns)(
  "$line: $what",
  async ({ line, behave, stderr, maxMiB }) => {
    // What ends at its size must not end at the timeout first, even on a busy machine.
    const run = await meet(line, behave, stderr === late ? "300ms" : "5m");
    expect(run.stderr).toMatch(stderr);
    expect(run.code).toBe(stderr === late ? 0 : run.stderr.includes("Cannot reach") ? 51 : 53);
    expect(run.peak).toBeGreaterThan(10 * MiB);
    expect(run.peak).toBeLessThan(maxMiB * MiB);
  },
  60_000,
);
