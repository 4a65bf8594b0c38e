/** Reading the history of a build, page by page. */
import { describe, expect, test } from "vitest";
import { ClientError, type ClientErrorCode } from "../../src/client/errors.ts";
import { readBuildHistory, readComparedHistory } from "../../src/client/play-history.ts";
import type { BuildHistory } from "../../src/contract/play-history.ts";

const build = { game: "ember", version: "0.9.0" };

/** Pages with these numbers of testers, of a build that reports `total` testers. */
function createReader(sizes: readonly number[], total: number) {
  const offsets: number[] = [];
  const readPage = async ({
    offset = 0,
  }: {
    readonly offset?: number | undefined;
  }): Promise<BuildHistory> => {
    const size = sizes[offsets.length] ?? 0;
    offsets.push(offset);
    const testers = Array.from({ length: size }, () => ({ anonymous: false, sessions: [] }));
    return {
      game: { id: "game_1", userId: "user_1", name: "Ember", slug: "ember", createdAt: 0 },
      version: build.version,
      environment: "production",
      analysisVersions: [2],
      testers,
      hasMore: offset + size < total,
      total,
    };
  };
  return { offsets, readPage };
}

describe("readBuildHistory", () => {
  test("reads all pages", async () => {
    const { offsets, readPage } = createReader([3, 3, 1], 7);
    const { testers, hasMore } = await readBuildHistory(readPage, build);
    expect([testers.length, hasMore, offsets]).toEqual([7, false, [0, 3, 6]]);
  });

  test("rejects an empty page before the end", async () => {
    const { readPage } = createReader([3, 0], 7);
    await expect(readBuildHistory(readPage, build)).rejects.toMatchObject({ code: "contract" });
  });

  test("rejects a list that does not end", async () => {
    const { readPage } = createReader(Array(100_000).fill(1_000), Number.MAX_SAFE_INTEGER);
    await expect(readBuildHistory(readPage, build)).rejects.toMatchObject({ code: "contract" });
  });
});

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
