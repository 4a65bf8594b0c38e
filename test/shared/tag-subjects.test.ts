/** Which testers could meet a tag: rooms of tags, and exposed testers. */
import { describe, expect, it } from "vitest";
import { formatAnswerTag } from "../../src/shared/slugs.ts";
import {
  countWhoCouldMeet,
  findTagQuestion,
  findTagRoom,
  findTagSubject,
  listSubjects,
  type TesterTags,
  truncateRoom,
} from "../../src/shared/tag-subjects.ts";
import { testerStatementTypes } from "../../src/shared/tags.ts";

const createTester = (...sessions: readonly [rooms: string[], tags: string[]][]): TesterTags => ({
  sessions: sessions.map(([rooms, tags]) => ({ rooms: rooms.map((room) => ({ room })), tags })),
});

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

describe("exposed testers", () => {
  const testers = [
    createTester([["hall"], ["stuck-point:hall"]], [["hall", "cellar"], []]),
    createTester([["cellar"], []], [["hall"], []]),
    createTester([["cellar"], []]),
    createTester([[], ["stuck-point:hall"]]),
    createTester([[], []]),
  ];

  it("are those who entered the room or have the tag", () => {
    const subject = findTagSubject("stuck-point:hall", listSubjects(testers));
    expect(countWhoCouldMeet(testers, "stuck-point:hall", subject)).toEqual({ exposed: 3, withTag: 2 });
  });

  it("are all testers for a tag that is not about a room", () => {
    expect(countWhoCouldMeet(testers, "confusion:menu", null)).toEqual({ exposed: 5, withTag: 0 });
  });

  it("are those who answered the question of the tag, if it is known what they answered", () => {
    const answered = (questions: string[], tags: string[]) => ({
      sessions: [{ rooms: [], questions, tags }],
    });
    const known = [
      answered(["fun"], ["negative-moment:feedback-fun"]),
      answered(["fun", "more"], []),
      answered(["more"], []),
      answered([], []),
    ];
    const tag = "negative-moment:feedback-fun";
    const subject = findTagSubject(tag, listSubjects(known));
    expect([subject, countWhoCouldMeet(known, tag, subject)]).toEqual([
      { kind: "question", name: "fun" },
      { exposed: 2, withTag: 1 },
    ]);
    const unknown = [...known, createTester([[], []])];
    expect(findTagSubject(tag, listSubjects(unknown))).toBeNull();
  });

  it("of a question with a long id are found by every tag of its answers", () => {
    const id = "x".repeat(200);
    for (const kind of testerStatementTypes)
      expect(findTagQuestion(formatAnswerTag(kind, id))).toBe("x".repeat(49));
  });

  it("of a question with an id of symbols are not taken for a room", () => {
    expect(formatAnswerTag("praise", "???")).toBe("praise:feedback-u3f-u3f-u3f");
  });

  it("lists the rooms of all sessions", () => {
    expect([...listSubjects(testers).rooms].sort()).toEqual(["cellar", "hall"]);
  });
});
