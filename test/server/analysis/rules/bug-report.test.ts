/** Bug reports: one finding per room or message. */
import { expect, it } from "vitest";
import { CRASH_CONFIDENCE, ERROR_CONFIDENCE } from "../../../../src/server/analysis/rules/bug-report.ts";
import { findingsOf, repeated, type Step, tagsOf, withoutClaims } from "../recorded-sessions.ts";

const bugs = (steps: readonly Step[]) => findingsOf("bug-report", steps);
const tagOf = (name: string, data: Record<string, unknown>, room?: unknown) =>
  tagsOf(bugs([[0, name, room, data]]));

it("reports a single crash", () => {
  const found = bugs([[3, "crash_reported", "level-3", { message: "NullReference" }]]);
  expect(found[0]?.claims).toEqual([
    { kind: "bugs", location: "level-3", ids: ["e0"], crashes: 1, errors: 0 },
  ]);
  expect(withoutClaims(found)).toMatchInlineSnapshot(`
    [
      {
        "confidence": 0.9,
        "evidence": "1 crash in level-3 with message “NullReference” (threshold: 1): event e0",
        "sentiment": "negative",
        "tag": "bug-report:level-3",
        "title": "1 crash in level-3: NullReference",
        "type": "bug-report",
      },
    ]
  `);
});

it("is stronger for crashes than errors, and for several than one", () => {
  const strength = (name: string, count: number) => bugs(repeated(count, name, "a"))[0]?.confidence;
  expect(strength("crash_reported", 1)).toBe(CRASH_CONFIDENCE);
  expect(strength("crash_reported", 10)).toBe(0.99);
  expect(strength("application_error", 1)).toBe(ERROR_CONFIDENCE);
  expect(strength("application_error", 10)).toBe(0.87);
});

it("combines crashes and errors of a room, with ids in order", () => {
  const steps: Step[] = [
    [0, "application_error", "a", { message: "first" }],
    [1, "crash_reported", "a"],
    [2, "application_error", "a"],
  ];
  const found = bugs(steps);
  expect(found).toHaveLength(1);
  expect(found[0]?.title).toBe("1 crash and 2 errors in a: first");
  expect(found[0]?.evidence).toBe(
    "1 crash and 2 errors in a with message “first” (threshold: 1): events e0, e1, e2",
  );
});

it("is tagged by the room, or else by stable words of the message", () => {
  expect(tagOf("crash_reported", { message: "x" }, "Boss Room")).toEqual(["bug-report:boss-room"]);
  expect(tagOf("crash_reported", { message: "Out of memory at 0x7ffe01 in thread 12" })).toEqual([
    "bug-report:out-of-memory-at-in-thread",
  ]);
  expect(tagOf("crash_reported", { type: "TypeError" })).toEqual(["bug-report:typeerror"]);
  expect(tagOf("application_error", { message: " ", name: "E_SAVE" })).toEqual(["bug-report:e_save"]);
  expect(tagOf("application_error", { code: "disk-full" })).toEqual(["bug-report:disk-full"]);
  expect(tagOf("crash_reported", { code: 139 })).toEqual(["bug-report:crash"]);
  expect(tagOf("application_error", {})).toEqual(["bug-report:error"]);
  expect(tagsOf(bugs([[0, "crash_reported"]]))).toEqual(["bug-report:crash"]);
});

it("distinguishes rooms and messages from crashes, errors and low frame rates", () => {
  expect(tagOf("application_error", { message: "null ref" }, "crash")).toEqual(["bug-report:room--crash"]);
  expect(tagOf("application_error", { message: "Frame rate dropped" })).toEqual(["bug-report:error"]);
  const found = bugs([
    [0, "crash_reported"],
    [1, "application_error", "crash"],
  ]);
  expect(found.map(({ tag, claims }) => [tag, claims])).toEqual([
    ["bug-report:crash", [{ kind: "bugs", location: "crash", ids: ["e0"], crashes: 1, errors: 0 }]],
    [
      "bug-report:room--crash",
      [{ kind: "bugs", location: "room--crash", ids: ["e1"], crashes: 0, errors: 1 }],
    ],
  ]);
});

it("uses the same tag for messages that differ only in numbers", () => {
  const steps: Step[] = [1, 2, 3].map((n) => [
    n,
    "crash_reported",
    undefined,
    { message: `Index ${n} out of range` },
  ]);
  const found = bugs(steps);
  expect(tagsOf(found)).toEqual(["bug-report:index-out-of-range"]);
  expect(found[0]?.title).toBe("3 crashes: Index 1 out of range");
});

it("quotes a hostile message on one short line", () => {
  const message = `<b>\n\u001b]0;x\u0007${"y".repeat(1e5)}`;
  const title = bugs([[0, "crash_reported", "a", { message }]])[0]?.title ?? "";
  expect(title).toMatch(/^1 crash in a: <b> \]0;x y+…$/);
  expect(title.length).toBeLessThan(120);
});

it("reports nothing without crashes and errors", () => {
  expect(bugs(repeated(20, "fail", "a"))).toEqual([]);
});
