/** The text filter `q`: any case of any script, no wildcards, within one field at a time. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { foldCase } from "../../../src/server/sessions/list-item.ts";
import { startTestService, type TestService } from "../../harness.ts";
import fc from "../../property.ts";
import { play } from "../telemetry-helpers.ts";

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
    await play(service, { gameId: "maze", title, testerHandle: title === "one" ? "two-handed" : "Zoë" });
});

afterAll(() => service.stop());

const found = async (q: string) => {
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
    expect(await found(q)).toEqual([...expected].sort());
  });

  it("finds by handle in any case", async () => {
    expect(await found("ZOË")).toHaveLength(titles.length - 1);
  });

  it("narrows beside other filters, and counts what it found", async () => {
    const answer = await service.get(`/api/v1/sessions?game=maze&q=${encodeURIComponent("CAF")}&limit=1`);
    expect([answer.json.items.length, answer.json.hasMore, answer.json.total]).toEqual([1, true, 2]);
    expect((await service.get("/api/v1/sessions?build=none&q=caf")).json.total).toBe(0);
  });

  it("takes 200 characters and finds text that long", async () => {
    expect(await found("x".repeat(200))).toEqual([]);
  });
});

it("folds every cut of a text to a part of its fold, in whatever case it is asked for", () => {
  const letters = fc.constantFrom(..."aZéÉßΣσςΐİıдЖñŉ한ǅ日🎮 -_%");
  const cut = fc.tuple(fc.array(letters), fc.array(letters, { minLength: 1 }), fc.array(letters));
  fc.assert(
    fc.property(cut, ([before, middle, after]) => {
      const [asked, whole] = [middle.join(""), [...before, ...middle, ...after].join("")];
      for (const q of [asked, asked.normalize("NFD")]) expect(foldCase(whole)).toContain(foldCase(q));
      expect(foldCase(whole.normalize("NFD"))).toBe(foldCase(whole));
      expect(foldCase(foldCase(whole))).toBe(foldCase(whole));
    }),
    { numRuns: 1000 },
  );
});
