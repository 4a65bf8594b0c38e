/** What tags are about: rooms, and answers to questions. */
import { describe, expect, it } from "vitest";
import { formatAnswerTag } from "../../src/shared/slugs.ts";
import { findTagQuestion, findTagRoom, findTagSubject, truncateRoom } from "../../src/shared/tag-subjects.ts";
import { testerStatementTypes } from "../../src/shared/tags.ts";

describe("the room of a tag", () => {
  const rooms = new Set(["hall", "transcript", "crash", "feedback-fun", truncateRoom("x".repeat(80))]);

  it.each([
    ["difficulty-spike:hall", "hall"],
    ["confusion:hall", "hall"],
    ["bug-report:frame-rate-hall", "hall"],
    ["bug-report:hall", "hall"],
    [`difficulty-spike:${"x".repeat(63)}`, "x".repeat(58)],
    [`bug-report:frame-rate-${"x".repeat(58)}`, "x".repeat(58)],
  ])("%s is the room", (tag, room) => {
    expect(findTagRoom(tag, rooms)).toBe(room);
  });

  it.each([
    "difficulty-spike:cellar",
    "bug-report:null-is-not-an-object",
    "bug-report:crash",
    "negative-moment:transcript",
    "negative-moment:feedback-fun",
    "pacing-issue:session",
    "bug-report:frame-rate-session",
    "hall",
    "",
  ])("%j names no room that a session entered", (tag) => {
    expect(findTagRoom(tag, rooms)).toBeNull();
  });
});

it("truncates a room without leaving a trailing dash or half of a character", () => {
  expect(truncateRoom(`${"x".repeat(57)}-y`)).toBe("x".repeat(57));
  expect(truncateRoom(`${"x".repeat(57)}𝒜y`)).toBe("x".repeat(57));
});

describe("the subject of a tag", () => {
  it("is a room that testers entered, or the question that they answered", () => {
    const rooms = new Set(["hall"]);
    expect(findTagSubject("stuck-point:hall", rooms)).toEqual({ kind: "room", name: "hall" });
    expect(findTagSubject("confusion:menu", rooms)).toBeNull();
    const tag = "negative-moment:feedback-fun";
    expect(findTagSubject(tag, rooms)).toEqual({ kind: "question", name: "fun" });
  });

  it("is the same question with a long id for every tag of its answers", () => {
    const id = "x".repeat(200);
    for (const kind of testerStatementTypes)
      expect(findTagQuestion(formatAnswerTag(kind, id))).toBe("x".repeat(49));
  });

  it("is no room if the id of the question consists of symbols", () => {
    expect(formatAnswerTag("praise", "???")).toBe("praise:feedback-u3f-u3f-u3f");
  });
});
