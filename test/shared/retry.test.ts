/** The retry loop: how often it tries, how long it waits, and what ends it. */
import { describe, expect, test } from "vitest";
import { backoffMs, backoffPolicy, type RetryPolicy, retry } from "../../src/shared/retry.ts";

/** Runs attempts that fail with these errors, then succeed with "done". */
async function run(failures: readonly string[], policy: RetryPolicy, signal?: AbortSignal) {
  const [waits, reported, attempts]: [number[], unknown[], number[]] = [[], [], []];
  const outcome = await retry(
    async (nth) => {
      attempts.push(nth);
      const failure = failures[nth - 1];
      if (failure !== undefined) throw failure;
      return "done";
    },
    policy,
    {
      signal,
      sleep: async (ms, stop) => {
        stop?.throwIfAborted();
        waits.push(ms);
      },
      onWait: (failure, ms) => void reported.push([failure, ms]),
    },
  ).catch((error: unknown) => ({ error }));
  return { outcome, waits, reported, attempts };
}

const policy = backoffPolicy({
  maxAttempts: 4,
  firstMs: 100,
  maxMs: 300,
  isTransient: (failure) => failure === "transient",
});

describe("retry", () => {
  test("returns the first success without a wait", async () => {
    expect(await run([], policy)).toEqual({ outcome: "done", waits: [], reported: [], attempts: [1] });
  });

  test("waits as the policy says, reports each wait, and counts attempts", async () => {
    expect(await run(["transient", "transient", "transient"], policy)).toEqual({
      outcome: "done",
      waits: [100, 200, 300],
      reported: [
        ["transient", 100],
        ["transient", 200],
        ["transient", 300],
      ],
      attempts: [1, 2, 3, 4],
    });
  });

  test("throws the last error after the last attempt", async () => {
    const { outcome, attempts } = await run(Array(9).fill("transient"), policy);
    expect([outcome, attempts]).toEqual([{ error: "transient" }, [1, 2, 3, 4]]);
  });

  test("throws an error that is not transient at once", async () => {
    const { outcome, waits } = await run(["transient", "fatal"], policy);
    expect([outcome, waits]).toEqual([{ error: "fatal" }, [100]]);
  });

  test("throws the signal's reason when it is aborted before a wait", async () => {
    const { outcome, attempts } = await run(["transient"], policy, AbortSignal.abort("stopped"));
    expect([outcome, attempts]).toEqual([{ error: "stopped" }, [1]]);
  });
});

test("jitter changes each wait of a policy", () => {
  const halved = backoffPolicy({
    maxAttempts: 3,
    firstMs: 100,
    isTransient: () => true,
    jitter: (ms) => ms / 2,
  });
  expect([1, 2, 3].map((nth) => halved.waitAfter("any", nth))).toEqual([50, 100, null]);
});

test.each([
  [{ firstMs: 300 }, [300, 600, 1200, 2400]],
  [{ firstMs: 10, maxMs: 35 }, [10, 20, 35, 35]],
])("a backoff of %j waits %j ms", (backoff, waits) => {
  expect([1, 2, 3, 4].map((nth) => backoffMs(nth, backoff))).toEqual(waits);
});
