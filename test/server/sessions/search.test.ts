/** The text filter `q`: it ignores case in all scripts, has no wildcards, and matches within a single field. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { foldCase } from "../../../src/server/sessions/list-item.ts";
import { startTestService, type TestService } from "../../harness.ts";
import fc from "../../property.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";

let service: TestService;
const titles = [
  "100% done",
  "100 done",
  "a_b",
  "axb",
  "CAFÉ",
  "cafe\u0301 noir",
  "Straße",
  "ΟΔΟΣΑ",
  "İzmir",
  "back\\slash",
  'it\'s "quoted"',
  "日本語",
  "🎮 play",
  "one",
  "two",
  "odd\uffffone",
];

beforeAll(async () => {
  service = await startTestService();
  await service.addGame("maze");
  for (const title of titles)
    await sendTelemetry(service, {
      gameId: "maze",
      title,
      testerHandle: title === "one" ? "two-handed" : "Zoë",
    });
});

afterAll(() => service.stop());

const searchTitles = async (q: string) => {
  const answer = await service.get(`/api/v1/sessions?limit=100&q=${encodeURIComponent(q)}`);
  return answer.json.items.map((item: { title: string }) => item.title).sort();
};

describe("q", () => {
  it.each([
    ["100%", ["100% done"]],
    ["%", ["100% done"]],
    ["0% d", ["100% done"]],
    ["_", ["a_b"]],
    ["a_b", ["a_b"]],
    ["é", ["CAFÉ", "cafe\u0301 noir"]],
    ["É", ["CAFÉ", "cafe\u0301 noir"]],
    ["E\u0301", ["CAFÉ", "cafe\u0301 noir"]],
    ["café", ["CAFÉ", "cafe\u0301 noir"]],
    ["STRASSE", ["Straße"]],
    ["straße", ["Straße"]],
    ["οδος", ["ΟΔΟΣΑ"]],
    ["ΟΔΟΣ", ["ΟΔΟΣΑ"]],
    ["οδοσ", ["ΟΔΟΣΑ"]],
    ["\\", ["back\\slash"]],
    ["'", ['it\'s "quoted"']],
    ['S "QUO', ['it\'s "quoted"']],
    ["本", ["日本語"]],
    ["🎮", ["🎮 play"]],
    ["two", ["one", "two"]],
    ["nothing at all", []],
    ["onetwo", []],
    ["one two", []],
    ["*", []],
    ["\uffff", ["odd\uffffone"]],
    ["one\uffff", []],
  ])("%j finds %j", async (q, expected) => {
    expect(await searchTitles(q)).toEqual([...expected].sort());
  });

  it("finds sessions by handle, ignoring case", async () => {
    expect(await searchTitles("ZOË")).toHaveLength(titles.length - 1);
  });

  it("combines with other filters, and returns the total of matches", async () => {
    const answer = await service.get(`/api/v1/sessions?game=maze&q=${encodeURIComponent("CAF")}&limit=1`);
    expect([answer.json.items.length, answer.json.hasMore, answer.json.total]).toEqual([1, true, 2]);
    expect((await service.get("/api/v1/sessions?build=none&q=caf")).json.total).toBe(0);
  });

  it("accepts 200 characters", async () => {
    expect(await searchTitles("x".repeat(200))).toEqual([]);
  });
});

it("folds every substring of a text to a substring of the folded text, in any normalization form", () => {
  const letters = fc.constantFrom(..."aZéÉßΣσςΐİıдЖñŉ한ǅ日🎮 -_%");
  const parts = fc.tuple(fc.array(letters), fc.array(letters, { minLength: 1 }), fc.array(letters));
  fc.assert(
    fc.property(parts, ([before, middle, after]) => {
      const [part, whole] = [middle.join(""), [...before, ...middle, ...after].join("")];
      for (const q of [part, part.normalize("NFD")]) expect(foldCase(whole)).toContain(foldCase(q));
      expect(foldCase(whole.normalize("NFD"))).toBe(foldCase(whole));
      expect(foldCase(foldCase(whole))).toBe(foldCase(whole));
    }),
    { numRuns: 1000 },
  );
});
