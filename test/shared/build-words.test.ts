/** The words for builds, and the builds that `previous` passes over. */
import { expect, test } from "vitest";
import { describeSkipped, findBefore, resolveBuildWords } from "../../src/shared/build-words.ts";

const build = (version: string, testerCount?: number) => ({ version, testerCount });
const builds = [
  build("0.9.0", 9),
  build("0.8.9", 1),
  build("0.8.8", 4),
  build("0.8.0", 5),
  build("0.7.0", 20),
];

test("previous is the last build before with enough testers", () => {
  expect(resolveBuildWords({ a: "previous", b: "latest" }, builds, 5)).toEqual({
    ...{ a: "0.8.0", b: "0.9.0" },
    skipped: ["0.8.9", "0.8.8"],
  });
  expect(resolveBuildWords({ a: "previous", b: "0.8.0" }, builds, 5)).toEqual({
    ...{ a: "0.7.0", b: "0.8.0" },
    skipped: [],
  });
  expect(resolveBuildWords({ a: "", b: "previous" }, builds, 4)).toEqual({
    ...{ a: "", b: "0.8.8" },
    skipped: ["0.8.9"],
  });
});

test("latest is the last build, however few testers it has", () => {
  expect(resolveBuildWords({ a: "", b: "latest" }, builds.slice(1), 5).b).toBe("0.8.9");
  expect(resolveBuildWords({ a: "previous", b: "latest" }, [], 5)).toEqual({ a: null, b: null, skipped: [] });
});

test("without a build that has enough testers, previous is the one right before", () => {
  expect(findBefore(builds.slice(1), 50)).toEqual({ version: "0.8.9", skipped: [] });
  expect(findBefore([], 5)).toBeNull();
});

test("a build whose testers are not known is not passed over", () => {
  expect(findBefore([build("0.8.9"), build("0.8.0", 9)], 5)).toEqual({ version: "0.8.9", skipped: [] });
});

test("a note names what was passed over", () => {
  const describe = (...skipped: string[]) => describeSkipped({ version: "0.8.0", skipped }, 5);
  expect(describe()).toBeNull();
  expect(describe("0.8.9")).toBe("`previous` is 0.8.0, because 0.8.9 has fewer than 5 testers.");
  expect(describe("d", "c", "b")).toBe("`previous` is 0.8.0, because d, c and b have fewer than 5 testers.");
  expect(describe("f", "e", "d", "c", "b")).toBe(
    "`previous` is 0.8.0, because f, e, d and 2 more have fewer than 5 testers.",
  );
});

test("a build that is not registered comes after those that are", () => {
  const registered = builds.map((one) => ({ ...one, registeredAt: 1 }));
  expect(resolveBuildWords({ a: "previous", b: "1.0.0" }, registered, 5).a).toBe("0.9.0");
  expect(resolveBuildWords({ a: "previous", b: "1.0.0" }, builds, 5).a).toBeNull();
});
