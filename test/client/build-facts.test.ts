/** Reading the facts of builds: page by page, and why they are not known. */
import { describe, expect, test } from "vitest";
import { type ReadFactsPage, readBuildFacts } from "../../src/client/build-facts.ts";
import { ClientError, type ClientErrorCode } from "../../src/client/errors.ts";
import { readPairFacts } from "../../src/client/scorecard.ts";
import { type BuildFacts, type BuildTesterFacts, MAX_TESTER_PAGE } from "../../src/contract/build-facts.ts";

const build = { game: "ember", version: "0.9.0" };

const session: BuildTesterFacts["sessions"][number] = {
  ...{ startSec: 0, activeSec: 1, wallSec: 1, analyzed: true, crashed: false },
  ...{ rooms: [], tags: [], questions: [], answers: [] },
};

const tester = (id: string | null, sessions = 1): BuildTesterFacts => ({
  ...{ tester: id, isReturning: false, observedSec: 10 },
  sessions: Array(sessions).fill(session),
});

const page = (facts: Partial<BuildFacts>): BuildFacts => ({
  game: { id: "game_1", userId: "user_1", name: "Ember", slug: "ember", createdAt: 0 },
  ...{ version: build.version, environment: "production", analysisVersions: [3] },
  sessions: { open: 0, analyzed: 1, unanalyzed: 0, failed: 0 },
  ...{ fields: [], testers: [], hasMore: false, total: 0 },
  ...facts,
});

/** Pages with these numbers of testers, of a build that reports `total` testers. */
function createReader(sizes: readonly number[], total: number) {
  const requests: { limit?: number | undefined; offset?: number | undefined }[] = [];
  const readPage: ReadFactsPage = async ({ limit, offset = 0 }) => {
    const size = sizes[requests.length] ?? 0;
    requests.push({ limit, offset });
    const testers = Array.from({ length: size }, (_, at) => tester(`t${offset + at}`));
    return page({ testers, hasMore: offset + size < total, total });
  };
  return { requests, readPage };
}

describe("the facts of a build", () => {
  test("are those of all pages", async () => {
    const { requests, readPage } = createReader([3, 3, 1], 7);
    const { group } = await readBuildFacts(readPage, build);
    expect(group.testers.map((one) => one.tester)).toEqual(["t0", "t1", "t2", "t3", "t4", "t5", "t6"]);
    expect(requests).toEqual([0, 3, 6].map((offset) => ({ limit: MAX_TESTER_PAGE, offset })));
  });

  test("have the versions and form fields of every page", async () => {
    const field = (name: string, label: string) => ({ field: name, formName: "End", label });
    const pages = [
      { analysisVersions: [4], fields: [field("end/fun", "Fun?")], testers: [tester("a")], hasMore: true },
      { analysisVersions: [3, 4], fields: [field("end/again", "Again?")], testers: [tester("b")] },
    ].map(page);
    const read = await readBuildFacts(async ({ offset }) => pages[offset ?? 0] ?? page({}), build);
    expect(read.group.analysisVersions).toEqual([3, 4]);
    expect(read.fields).toEqual([field("end/fun", "Fun?"), field("end/again", "Again?")]);
  });

  test("leave out those who are not known to be one tester, and who have no ended session", async () => {
    const sessions = { open: 1, analyzed: 3, unanalyzed: 2, failed: 1 };
    const testers = [tester("a", 2), tester("b", 0), tester(null, 3), tester(null, 1)];
    const read = await readBuildFacts(async () => page({ testers, sessions, total: 4 }), build);
    expect(read.group.testers.map((one) => one.tester)).toEqual(["a"]);
    expect(read).toMatchObject({ sessions, anonymousSessions: 4 });
  });

  test.each([
    ["an empty page before the end", createReader([3, 0], 7), "more testers after tester 3"],
    ["a total that nobody can read", createReader([1], Number.MAX_SAFE_INTEGER), "too many to read"],
  ])("are rejected for %s", async (_, { readPage }, message) => {
    const error: unknown = await readBuildFacts(readPage, build).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "contract", message: expect.stringContaining(message) });
  });

  test("are rejected for a list that does not end", async () => {
    let pages = 0;
    const testers = Array.from({ length: MAX_TESTER_PAGE }, (_, at) => tester(`t${at}`));
    const readPage: ReadFactsPage = async () => {
      pages += 1;
      return page({ testers, hasMore: true, total: 10 });
    };
    await expect(readBuildFacts(readPage, build)).rejects.toMatchObject({
      ...{ code: "contract", message: expect.stringContaining("does not end") },
    });
    // The list may have grown by 10,000 testers since its total was counted.
    expect(pages).toBeLessThan(13);
  });
});

const builds = { game: "ember", a: "1", b: "2" };

/** A page whose only tester has as many sessions as the version says. */
const readPage: ReadFactsPage = async ({ version }) =>
  page({ version, testers: [tester("a", Number(version))], total: 1 });

const announcing = (getBuildFacts: ReadFactsPage) => ({ announces: async () => true, getBuildFacts });

describe("the facts of two builds", () => {
  test("are not requested from a service that does not announce them", async () => {
    const calls = { announces: async () => false, getBuildFacts: () => expect.unreachable() };
    expect(await readPairFacts(calls, builds)).toBe("unsupported");
  });

  test("are those of each", async () => {
    const read = await readPairFacts(announcing(readPage), builds);
    const sides = typeof read === "string" ? [] : [read.a, read.b];
    expect(sides.map(({ group }) => group.testers[0]?.sessions.length)).toEqual([1, 2]);
  });

  test("are read once if both are the same build", async () => {
    const versions: string[] = [];
    const read = await readPairFacts(
      announcing(async (input) => {
        versions.push(input.version);
        return await readPage(input);
      }),
      { ...builds, b: "1" },
    );
    expect(versions).toEqual(["1"]);
    expect(typeof read === "string" ? read : read.a === read.b).toBe(true);
  });

  test.each<[ClientErrorCode, string]>([
    ["unsupported", "unsupported"],
    ["forbidden", "forbidden"],
    ["contract", "invalid"],
  ])("are not known after the error %s of either build", async (code, reason) => {
    for (const failing of ["1", "2"]) {
      const read = await readPairFacts(
        announcing(async (input) => {
          if (input.version === failing) throw new ClientError(code, "No");
          return await readPage(input);
        }),
        builds,
      );
      expect(read).toBe(reason);
    }
  });

  test.each<ClientErrorCode>(["network", "not_found", "unauthorized", "timeout"])(
    "fail with the error %s, which the rest of a comparison has too",
    async (code) => {
      const failing: ReadFactsPage = async () => {
        throw new ClientError(code, "No");
      };
      await expect(readPairFacts(announcing(failing), builds)).rejects.toMatchObject({ code });
    },
  );
});
