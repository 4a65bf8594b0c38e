/** Transcripts: few findings by sentiment, and none for neutral or non-English text. */
import { describe, expect, it } from "vitest";
import { analyze } from "../../../../src/server/analysis/analyst.ts";
import {
  MAX_QUOTED_SENTENCES,
  MAX_TRANSCRIPT_LENGTH,
  splitSentences,
} from "../../../../src/server/analysis/rules/transcript.ts";
import { expectValid, repeated, tagsOf, toRecordedSession } from "../recorded-sessions.ts";

const found = (transcript: string) =>
  analyze(toRecordedSession([], { transcript })).map((finding) => {
    expectValid(finding);
    return finding;
  });
const findByType = (transcript: string, type: string) =>
  found(transcript).find((finding) => finding.type === type);

describe("sentences", () => {
  it("are split at their ends and at line breaks, without timestamps", () => {
    const transcript =
      "[00:12:03] I like it. Where now?\n\n7\n00:12.500 --> 00:14.000\nno\r\n(1:02) Ouch!\n---\n12:30 Lunch";
    expect(splitSentences(transcript)).toEqual(["I like it.", "Where now?", "7", "no", "Ouch!", "Lunch"]);
    expect(splitSentences(transcript, 2)).toEqual(["I like it.", "Where now?"]);
    expect(splitSentences(" \n…\n")).toEqual([]);
  });

  it("are read up to a maximum length", () => {
    const long = `${"a".repeat(MAX_TRANSCRIPT_LENGTH)}\nI hated it.`;
    expect(splitSentences(long)).toHaveLength(1);
  });
});

describe("a transcript", () => {
  it.each([
    ["The jumping is terrible and unfair.", "negative-moment", "negative"],
    ["Everybody liked the lanterns.", "praise", "positive"],
    ["I have no idea where to go.", "confusion", "negative"],
  ])("%j is a %s", (said, type, sentiment) => {
    expect(findByType(said, type)).toMatchObject({ sentiment, tag: `${type}:transcript`, confidence: 0.5 });
    expect(findByType(said, type)?.title).toContain(said);
    expect(findByType(said, type)?.evidence).toContain("(sentence 1)");
  });

  it.each([
    "The door is red. We went left.",
    "Das war die Hölle. Der Boss ist nicht gut. Super!",
    "Это было ужасно.",
  ])("%j only gives a summary", (said) => {
    expect(tagsOf(found(said))).toEqual(["session-summary:session"]);
  });

  it("gives one finding per type that quotes the strongest sentences", () => {
    const sentences = [
      "I hated it.",
      "It is terrible and awful.",
      "I hate this.",
      "That is bad.",
      "Bad jump.",
    ];
    const finding = findByType(sentences.join("\n"), "negative-moment");
    expect(finding?.title).toBe("Quoted: “It is terrible and awful.”");
    expect(finding?.evidence).toMatch(
      /^5 sentences .*\(sentence 2\), .*\(sentence 1\), .*\(sentence 3\) and 2 more$/,
    );
    expect(finding?.evidence.match(/\(sentence/g)).toHaveLength(MAX_QUOTED_SENTENCES);
    expect(finding?.confidence).toBeGreaterThan(0.5);
    expect(found(sentences.join("\n"))).toEqual(found(sentences.join("\n")));
  });

  it("gives few findings, whatever it contains", () => {
    const all = found("I hated it. I loved it\u202e. What am I supposed to do?\n".repeat(2000));
    expect(tagsOf(all).sort()).toEqual([
      "confusion:transcript",
      "negative-moment:transcript",
      "praise:transcript",
      "session-summary:session",
    ]);
  });

  it("counts all sentences, and the summary comes last", () => {
    const all = found("hate\n".repeat(MAX_TRANSCRIPT_LENGTH / 5));
    expect(all.at(-1)?.title).toBe("Transcript of 40000 sentences: 0 happy, 40000 unhappy, 0 confused");
  });
});

describe("the summary", () => {
  it.each([
    ["I hated it.\nI hated it.\nI hated it.", "negative"],
    ["I hated it.\nI hated it.", "neutral"],
    ["I hated it.\nI hated it.\nI hated it.\nI loved it.\nI loved it.", "neutral"],
    ["I loved it.\nI loved it.\nI loved it.", "positive"],
  ])("of %j is %s", (said, sentiment) => {
    expect(findByType(said, "session-summary")).toMatchObject({ sentiment });
  });

  it("is based on events if there are any", () => {
    const both = analyze(toRecordedSession(repeated(6, "death", "cellar"), { transcript: "I loved it." }));
    expect(both.filter(({ type }) => type === "session-summary")).toHaveLength(1);
    expect(both.at(-1)?.title).toContain("6 failures");
    expect(tagsOf(both)).toContain("praise:transcript");
  });
});
