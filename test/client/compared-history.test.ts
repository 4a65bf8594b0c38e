/** Reading what the testers of two builds played, and the reasons why that is not known. */
import { expect, test } from "vitest";
import { ClientError, type ClientErrorCode } from "../../src/client/errors.ts";
import { readComparedHistory } from "../../src/client/play-history.ts";
import type { BuildHistory } from "../../src/contract/play-history.ts";

const builds = { game: "ember", a: "1", b: "2" };

/** A page whose only tester has as many sessions as the version says. */
const readPage = async ({ version }: { readonly version: string }): Promise<BuildHistory> => ({
  game: { id: "game_1", userId: "user_1", name: "Ember", slug: "ember", createdAt: 0 },
  version,
  environment: "production",
  analysisVersions: [2],
  testers: [
    {
      anonymous: false,
      sessions: Array.from({ length: Number(version) }, () => ({
        activeSec: 1,
        wallSec: 1,
        bugReports: 0,
        rooms: [],
        tags: [],
      })),
    },
  ],
  hasMore: false,
  total: 1,
});

test("reads both builds", async () => {
  const history = await readComparedHistory(readPage, builds);
  const sides = typeof history === "string" ? [] : [history.a, history.b];
  expect(sides.map((testers) => testers[0]?.sessions.length)).toEqual([1, 2]);
});

test.each<[ClientErrorCode, string]>([
  ["unsupported", "unsupported"],
  ["forbidden", "forbidden"],
  ["contract", "invalid"],
])("returns the reason for the error %s of either build", async (code, reason) => {
  for (const failing of ["1", "2"]) {
    const history = await readComparedHistory(async (input) => {
      if (input.version === failing) throw new ClientError(code, "No");
      return await readPage(input);
    }, builds);
    expect(history).toBe(reason);
  }
});

test("rejects with other errors", async () => {
  const readFailing = async () => {
    throw new ClientError("network", "Connection refused");
  };
  await expect(readComparedHistory(readFailing, builds)).rejects.toMatchObject({ code: "network" });
});
