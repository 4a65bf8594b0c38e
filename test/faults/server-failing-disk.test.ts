/** A disk that becomes slow or fails while a server runs: only stored events are acknowledged, and ingest resumes afterwards. */
import { afterEach, describe, expect, it } from "vitest";
import { freshFolder } from "../harness.ts";
import { databaseIn, end, endAll, type RealServer, serve } from "../server/real-server.ts";
import { canTrace, type Fault, injectFault, SYNCS, WRITES } from "./failing-disk.ts";
import { expectReads, expectStored, post, sendConcurrently } from "./send-events.ts";

const ROUNDS = process.env.PLAYTEST_FAULTS === "long" ? 20 : 2;

afterEach(endAll);

async function start(folder: string, name = "server"): Promise<RealServer> {
  return await serve(folder, name, { flags: ["--database", databaseIn(folder)] });
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);
const slow = (ms: number): Fault => ({ calls: SYNCS, inject: `delay_enter=${ms * 1000}` });

async function expectStopped({ process, stderr }: RealServer): Promise<void> {
  await end(process, "SIGTERM");
  expect([process.exitCode, stderr()]).toEqual([0, expect.stringContaining("Stopped.")]);
}

describe.runIf(canTrace)("a slow disk", () => {
  it("stores waiting bodies in a few commits, for new and existing connections, while reads continue", async () => {
    const folder = freshFolder();
    const server = await start(folder);
    const { remove } = await injectFault(server.process.pid, slow(300));
    const bodies = numbers(0, 64);
    const [first, second] = [bodies.slice(0, 48), bodies.slice(48)];
    const [sent] = await Promise.all([sendConcurrently(server, first), expectReads(server)]);
    const more = await sendConcurrently(server, second);
    expect([sent.refused, more.refused]).toEqual([[], []]);
    const syncs = await remove();
    expect(syncs).toBeGreaterThan(1);
    expect(syncs).toBeLessThan(bodies.length / 2);
    await expectStopped(server);
    expect(server.stderr()).not.toContain("fault");
    await expectStored(databaseIn(folder), bodies);
  });

  it("refuses bodies beyond the queue limit with 503, and keeps responding", async () => {
    const folder = freshFolder();
    const server = await start(folder);
    const connections = numbers(0, 600);
    await Promise.all(connections.map(async () => await (await fetch(`${server.url}/healthz`)).text()));
    const { remove } = await injectFault(server.process.pid, slow(50));
    const accepted: number[] = [];
    const refused: number[] = [];
    for (let wave = 0; refused.length === 0; wave += 1) {
      expect(wave).toBeLessThan(5);
      const bodies = numbers(wave * connections.length, connections.length);
      const [sent, health] = await Promise.all([
        sendConcurrently(server, bodies),
        fetch(`${server.url}/healthz`),
      ]);
      expect(health.status).toBe(200);
      accepted.push(...sent.accepted);
      refused.push(...sent.refused);
    }
    expect(accepted.length).toBeGreaterThan(0);
    await remove();
    const again = await sendConcurrently(server, refused.slice(0, 100));
    expect(again.refused).toEqual([]);
    await expectStopped(server);
    await expectStored(databaseIn(folder), [...accepted, ...again.accepted]);
  });

  it("finishes pending requests when it stops, and loses nothing that it acknowledged", async () => {
    const folder = freshFolder();
    const server = await start(folder);
    await injectFault(server.process.pid, slow(200));
    const bodies = numbers(0, 40);
    const answers = bodies.map(async (n) => (await post(server, n).catch(() => null))?.status);
    await Promise.race(answers);
    await expectStopped(server);
    const statuses = await Promise.all(answers);
    const accepted = bodies.filter((n) => statuses[n] === 202);
    expect(accepted.length).toBeGreaterThan(0);
    await expectStored(
      databaseIn(folder),
      accepted,
      bodies.filter((n) => statuses[n] !== 202),
    );
  });
});

describe.runIf(canTrace)("a disk that fails temporarily", () => {
  const faults: readonly (readonly [string, Fault])[] = [
    ["writes fail", { calls: WRITES, inject: "error=EIO" }],
    ["the disk becomes read-only", { calls: WRITES, inject: "error=EROFS" }],
    ["syncs fail", { calls: SYNCS, inject: "error=EIO" }],
  ];

  it.each(faults)(
    "%s: refuses all writes, reports the fault once, and accepts writes again afterwards",
    async (_what, fault) => {
      const folder = freshFolder();
      const server = await start(folder);
      const accepted: number[] = [];
      const expectAccepted = async (bodies: readonly number[]) => {
        expect(await sendConcurrently(server, bodies)).toEqual({ accepted: expect.any(Array), refused: [] });
        accepted.push(...bodies);
      };
      await expectAccepted(numbers(0, 20));
      for (let round = 1; round <= ROUNDS; round += 1) {
        const bodies = numbers(round * 100, 20);
        const { remove } = await injectFault(server.process.pid, fault);
        expect((await sendConcurrently(server, bodies)).accepted).toEqual([]);
        await expectReads(server);
        // A single write takes a different code path than writes that share a commit.
        expect((await sendConcurrently(server, [round * 100])).accepted).toEqual([]);
        expect(await remove()).toBeGreaterThan(1);
        await expectAccepted(bodies);
        await expectAccepted(numbers(round * 100 + 50, 5));
        await expectReads(server);
      }
      await expectStopped(server);
      // More than 40 requests were refused, but the fault is reported at most once a minute.
      const reports = server.stderr().match(/error in .*/g) ?? [];
      const others = reports.filter((report) => !report.startsWith("error in POST"));
      expect(others.length).toBeLessThanOrEqual(2 * ROUNDS);
      expect(
        others.filter((report) => !/^error in (log of arrivals|last use of keys):/.test(report)),
      ).toEqual([]);
      const requests = reports.filter((report) => report.startsWith("error in POST"));
      expect(requests.length).toBeLessThanOrEqual(ROUNDS);
      expect(requests[0]).toMatch(/^error in POST \/api\/telemetry .*disk I\/O error$/);
      await expectStored(databaseIn(folder), accepted);
    },
  );

  // A commit has a few syncs and about a hundred writes. The failures occur at different points of a commit.
  it.each([
    [SYNCS, "when=5+3"],
    [WRITES, "when=100+701"],
  ])(
    "some calls of %s fail: stores each event once when refused bodies are sent again",
    async (calls, when) => {
      const folder = freshFolder();
      const server = await start(folder);
      const bodies = numbers(0, 40 * ROUNDS);
      const { remove } = await injectFault(server.process.pid, { calls, inject: `error=EIO:${when}` });
      let refused = 0;
      for (let [left, waves] = [bodies, 0]; left.length > 0; waves += 1) {
        expect(waves).toBeLessThan(1000);
        const sent = await sendConcurrently(server, left.slice(0, 4));
        refused += sent.refused.length;
        left = [...sent.refused, ...left.slice(4)];
      }
      expect(refused).toBeGreaterThan(0);
      expect(await remove()).toBeGreaterThan(0);
      await expectStopped(server);
      await expectStored(databaseIn(folder), bodies);
    },
  );

  it("only the database file fails, not its log: keeps accepting events, and moves them into the file afterwards", async () => {
    const folder = freshFolder();
    const database = databaseIn(folder);
    const server = await start(folder);
    const { remove } = await injectFault(server.process.pid, {
      calls: `${WRITES},${SYNCS}`,
      inject: "error=EIO",
      file: database,
    });
    const bodies = numbers(0, 240);
    for (let at = 0; at < bodies.length; at += 4)
      expect((await sendConcurrently(server, bodies.slice(at, at + 4))).refused).toEqual([]);
    expect(await remove()).toBeGreaterThan(0);
    expect((await sendConcurrently(server, [1000])).refused).toEqual([]);
    await expectStopped(server);
    await expectStored(database, [...bodies, 1000]);
  });

  it("the server is killed while syncs fail: the next server stores refused bodies once", async () => {
    const folder = freshFolder();
    const server = await start(folder);
    expect((await sendConcurrently(server, numbers(0, 20))).refused).toEqual([]);
    await injectFault(server.process.pid, { calls: SYNCS, inject: "error=EIO" });
    expect((await sendConcurrently(server, numbers(100, 20))).accepted).toEqual([]);
    await end(server.process, "SIGKILL");
    const next = { ...(await start(folder, "next")), ingestKey: server.ingestKey };
    expect((await sendConcurrently(next, numbers(100, 20))).refused).toEqual([]);
    await expectStopped(next);
    await expectStored(databaseIn(folder), [...numbers(0, 20), ...numbers(100, 20)]);
  });
});
