/** A disk that turns slow, or fails, under a running server: nothing is acknowledged that is not stored, and play goes on after. */
import { afterEach, describe, expect, it } from "vitest";
import { freshFolder } from "../harness.ts";
import { databaseIn, end, endAll, type RealServer, serve } from "../server/real-server.ts";
import { canTrace, type Fault, failing, SYNCS, WRITES } from "./failing-disk.ts";
import { expectReads, expectStored, post, sendAtOnce } from "./play-to-disk.ts";

const ROUNDS = process.env.PLAYTEST_FAULTS === "long" ? 20 : 2;

afterEach(endAll);

async function start(folder: string, name = "server"): Promise<RealServer> {
  return await serve(folder, name, { flags: ["--database", databaseIn(folder)] });
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);
const slow = (ms: number): Fault => ({ calls: SYNCS, inject: `delay_enter=${ms * 1000}` });

async function expectStopped({ process, said }: RealServer): Promise<void> {
  await end(process, "SIGTERM");
  expect([process.exitCode, said()]).toEqual([0, expect.stringContaining("Stopped.")]);
}

describe.runIf(canTrace)("a disk that takes long", () => {
  it("takes the bodies that came meanwhile in few commits, over connections new and old, and reads go on", async () => {
    const folder = freshFolder();
    const server = await start(folder);
    const { heal } = await failing(server.process.pid, slow(300));
    const bodies = numbers(0, 64);
    const [first, second] = [bodies.slice(0, 48), bodies.slice(48)];
    const [sent] = await Promise.all([sendAtOnce(server, first), expectReads(server)]);
    const more = await sendAtOnce(server, second);
    expect([sent.refused, more.refused]).toEqual([[], []]);
    const syncs = await heal();
    expect(syncs).toBeGreaterThan(1);
    expect(syncs).toBeLessThan(bodies.length / 2);
    await expectStopped(server);
    expect(server.said()).not.toContain("fault");
    await expectStored(databaseIn(folder), bodies);
  });

  it("tells what is more than can wait to come again, and goes on answering", async () => {
    const folder = freshFolder();
    const server = await start(folder);
    const connections = numbers(0, 600);
    await Promise.all(connections.map(async () => await (await fetch(`${server.url}/healthz`)).text()));
    const { heal } = await failing(server.process.pid, slow(50));
    const taken: number[] = [];
    const refused: number[] = [];
    for (let wave = 0; refused.length === 0; wave += 1) {
      expect(wave).toBeLessThan(5);
      const bodies = numbers(wave * connections.length, connections.length);
      const [sent, health] = await Promise.all([sendAtOnce(server, bodies), fetch(`${server.url}/healthz`)]);
      expect(health.status).toBe(200);
      taken.push(...sent.taken);
      refused.push(...sent.refused);
    }
    expect(taken.length).toBeGreaterThan(0);
    await heal();
    const again = await sendAtOnce(server, refused.slice(0, 100));
    expect(again.refused).toEqual([]);
    await expectStopped(server);
    await expectStored(databaseIn(folder), [...taken, ...again.taken]);
  });

  it("stops by finishing what it has, and loses nothing that it answered", async () => {
    const folder = freshFolder();
    const server = await start(folder);
    await failing(server.process.pid, slow(200));
    const bodies = numbers(0, 40);
    const answers = bodies.map(async (n) => (await post(server, n).catch(() => null))?.status);
    await Promise.race(answers);
    await expectStopped(server);
    const statuses = await Promise.all(answers);
    const taken = bodies.filter((n) => statuses[n] === 202);
    expect(taken.length).toBeGreaterThan(0);
    await expectStored(
      databaseIn(folder),
      taken,
      bodies.filter((n) => statuses[n] !== 202),
    );
  });
});

describe.runIf(canTrace)("a disk that fails and comes back", () => {
  const faults: readonly (readonly [string, Fault])[] = [
    ["writes fail", { calls: WRITES, inject: "error=EIO" }],
    ["it turns read-only", { calls: WRITES, inject: "error=EROFS" }],
    ["syncs fail", { calls: SYNCS, inject: "error=EIO" }],
  ];

  it.each(faults)("%s: all is refused, told once, and taken again after", async (_what, fault) => {
    const folder = freshFolder();
    const server = await start(folder);
    const taken: number[] = [];
    const take = async (bodies: readonly number[]) => {
      expect(await sendAtOnce(server, bodies)).toEqual({ taken: expect.any(Array), refused: [] });
      taken.push(...bodies);
    };
    await take(numbers(0, 20));
    for (let round = 1; round <= ROUNDS; round += 1) {
      const bodies = numbers(round * 100, 20);
      const { heal } = await failing(server.process.pid, fault);
      expect((await sendAtOnce(server, bodies)).taken).toEqual([]);
      await expectReads(server);
      // One alone takes another way than several that share a commit.
      expect((await sendAtOnce(server, [round * 100])).taken).toEqual([]);
      expect(await heal()).toBeGreaterThan(1);
      await take(bodies);
      await take(numbers(round * 100 + 50, 5));
      await expectReads(server);
    }
    await expectStopped(server);
    // Once a minute at most, of forty requests and more that were refused.
    const told = server.said().match(/fault in .*/g) ?? [];
    expect(told.length).toBeLessThanOrEqual(ROUNDS);
    expect(told[0]).toMatch(/^fault in POST \/api\/telemetry .*disk I\/O error$/);
    await expectStored(databaseIn(folder), taken);
  });

  // A commit is some syncs and a hundred writes: one here and there fails, at another place each time.
  it.each([
    [SYNCS, "when=5+3"],
    [WRITES, "when=100+701"],
  ])("some of %s fail: what was refused is taken in the end, and all of it once", async (calls, when) => {
    const folder = freshFolder();
    const server = await start(folder);
    const bodies = numbers(0, 40 * ROUNDS);
    const { heal } = await failing(server.process.pid, { calls, inject: `error=EIO:${when}` });
    let refused = 0;
    for (let [left, waves] = [bodies, 0]; left.length > 0; waves += 1) {
      expect(waves).toBeLessThan(1000);
      const sent = await sendAtOnce(server, left.slice(0, 4));
      refused += sent.refused.length;
      left = [...sent.refused, ...left.slice(4)];
    }
    expect(refused).toBeGreaterThan(0);
    expect(await heal()).toBeGreaterThan(0);
    await expectStopped(server);
    await expectStored(databaseIn(folder), bodies);
  });

  it("only the file fails, not its log: play goes on, and moves into the file once that works", async () => {
    const folder = freshFolder();
    const database = databaseIn(folder);
    const server = await start(folder);
    const { heal } = await failing(server.process.pid, {
      calls: `${WRITES},${SYNCS}`,
      inject: "error=EIO",
      file: database,
    });
    const bodies = numbers(0, 240);
    for (let at = 0; at < bodies.length; at += 4)
      expect((await sendAtOnce(server, bodies.slice(at, at + 4))).refused).toEqual([]);
    expect(await heal()).toBeGreaterThan(0);
    expect((await sendAtOnce(server, [1000])).refused).toEqual([]);
    await expectStopped(server);
    await expectStored(database, [...bodies, 1000]);
  });

  it("the server is killed while syncs fail: the next one takes what was refused, once", async () => {
    const folder = freshFolder();
    const server = await start(folder);
    expect((await sendAtOnce(server, numbers(0, 20))).refused).toEqual([]);
    await failing(server.process.pid, { calls: SYNCS, inject: "error=EIO" });
    expect((await sendAtOnce(server, numbers(100, 20))).taken).toEqual([]);
    await end(server.process, "SIGKILL");
    const next = { ...(await start(folder, "next")), ingestKey: server.ingestKey };
    expect((await sendAtOnce(next, numbers(100, 20))).refused).toEqual([]);
    await expectStopped(next);
    await expectStored(databaseIn(folder), [...numbers(0, 20), ...numbers(100, 20)]);
  });
});
