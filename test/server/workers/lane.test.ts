import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { HttpError } from "../../../src/contract/errors.ts";
import { TaskStopped } from "../../../src/server/core/task-stopped.ts";
import type { Task } from "../../../src/server/db/service.ts";
import { WorkerLane } from "../../../src/server/workers/lane.ts";

const lanes: WorkerLane[] = [];
let started = 0;
/** The names of the tasks that have ended. */
let worked: string[] = [];

function createLane(workers = 1, idle: { maxIdleMs?: number } = {}): WorkerLane {
  const lane = new WorkerLane({
    ...idle,
    workers,
    maxHeapMb: 32,
    setup: { database: "play.db", version: "1" },
    now: () => 1234,
    async measure(name, work) {
      await work();
      worked.push(name);
    },
    start: async (maxHeapMb) => {
      started += 1;
      const file = join(import.meta.dirname, "sample-worker.mjs");
      return spawn(process.execPath, [`--max-old-space-size=${maxHeapMb}`, file], {
        stdio: ["ignore", "ignore", "ignore", "ipc"],
        serialization: "advanced",
      });
    },
  });
  lanes.push(lane);
  return lane;
}

/** More than any test needs. */
const NO_LIMIT_MS = 600_000;

function task(name: string, maxMs = NO_LIMIT_MS): Task<unknown, unknown> {
  const run = async () => {
    throw new Error("A task runs in its worker");
  };
  return { name, lane: "reads", maxMs, run };
}

const reasonOf = async (result: Promise<unknown>) => {
  const error = await result.catch((caught: unknown) => caught);
  return error instanceof TaskStopped ? error.reason : error;
};

afterEach(async () => {
  await Promise.all(lanes.splice(0).map((lane) => lane.stop()));
  started = 0;
  worked = [];
});

describe("a lane whose workers end when they are idle", () => {
  it("keeps a worker between tasks that follow each other", async () => {
    const lane = createLane(1, { maxIdleMs: 60_000 });
    for (let n = 0; n < 3; n += 1) await lane.run(task("echo"), n);
    expect(started).toBe(1);
  });

  it("starts another one for a task that arrives while the last one ends", async () => {
    const lane = createLane(1, { maxIdleMs: 0 });
    for (let n = 0; n < 5; n += 1) {
      await lane.run(task("echo"), n);
      await new Promise((resolve) => setTimeout(resolve, n));
    }
    expect(started).toBeGreaterThan(1);
  });
});

describe("a lane of workers", () => {
  it("measures each task by its name, without the time that it waits", async () => {
    const lane = createLane();
    await Promise.all([lane.run(task("echo"), 1), lane.run(task("exit"), null).catch(() => {})]);
    await vi.waitFor(() => expect(worked).toEqual(["echo", "exit"]));
  });

  it("passes on the input, the output and the time of the service", async () => {
    const input = { rooms: new Map([["atrium", 3]]) };
    expect(await createLane().run(task("echo"), input)).toEqual({ input, database: "play.db", now: 1234 });
  });

  it("uses its workers again, and starts another one only while all are busy", async () => {
    const lane = createLane(2);
    for (let n = 0; n < 5; n += 1) await lane.run(task("echo"), n);
    expect(started).toBe(1);
    await Promise.all([1, 2, 3, 4, 5].map((n) => lane.run(task("echo"), n)));
    expect(started).toBe(2);
  });

  it("gives each owner turns", async () => {
    const lane = createLane();
    const order: string[] = [];
    const run = (owner: string) =>
      lane.run({ ...task("echo"), getOwner: () => owner }, null).then(() => order.push(owner));
    await Promise.all(["a", "a", "a", "b", "b", "b", "c"].map(run));
    expect(order).toEqual(["a", "b", "c", "a", "b", "a", "b"]);
  });

  it("throws the error of a task with its class and fields", async () => {
    const error = await createLane()
      .run(task("fail"), null)
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({ code: "not_found", status: 404, extra: { reason: "unknown_game" } });
  });

  it("stops a task that takes too long, and works on in a new worker", async () => {
    const lane = createLane();
    expect(await reasonOf(lane.run(task("loop", 50), null))).toBe("time");
    expect(await lane.run(task("echo"), 1)).toMatchObject({ input: 1 });
    expect(started).toBe(2);
  });

  it("stops a task that takes too much memory, and works on in a new worker", async () => {
    const lane = createLane();
    expect(await reasonOf(lane.run(task("fill"), null))).toBe("memory");
    expect(await lane.run(task("echo"), 1)).toMatchObject({ input: 1 });
  });

  it("reports a worker that ends by itself, and works on in a new one", async () => {
    const lane = createLane();
    await expect(lane.run(task("exit"), null)).rejects.toThrow("The worker has ended with 3");
    expect(await lane.run(task("echo"), 1)).toMatchObject({ input: 1 });
  });

  it("reports a worker that cannot start, and tries again with the next task", async () => {
    const lane = new WorkerLane({
      ...{ workers: 1, maxHeapMb: 32, setup: { database: "play.db", version: "1" }, now: () => 0 },
      measure: (_name, work) => work(),
      start: async () => {
        started += 1;
        return spawn("/nonexistent/playtest", [], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
      },
    });
    lanes.push(lane);
    for (let n = 0; n < 2; n += 1) await expect(lane.run(task("echo"), n)).rejects.toThrow("ENOENT");
    expect(started).toBe(2);
  });

  it("ends a task whose client leaves, with its worker", async () => {
    const lane = createLane();
    const client = new AbortController();
    const result = lane.run(task("loop"), null, client.signal);
    client.abort();
    expect(await reasonOf(result)).toBe("canceled");
    expect(await lane.run(task("echo"), 1)).toMatchObject({ input: 1 });
    expect(started).toBe(2);
  });

  it("does not begin a task whose client has left", async () => {
    const lane = createLane();
    const client = new AbortController();
    const first = lane.run(task("loop", 100), null);
    const waiting = lane.run(task("fill"), null, client.signal);
    client.abort();
    expect(await reasonOf(waiting)).toBe("canceled");
    expect(await reasonOf(first)).toBe("time");
    expect(await reasonOf(lane.run(task("echo"), 1, client.signal))).toBe("canceled");
  });

  it("ends what runs and what waits when it stops", async () => {
    const lane = createLane();
    const reasons = [lane.run(task("loop"), null), lane.run(task("echo"), null)].map(reasonOf);
    await lane.stop();
    expect(await Promise.all(reasons)).toEqual(["stopping", "stopping"]);
    expect(await reasonOf(lane.run(task("echo"), 1))).toBe("stopping");
  });
});
