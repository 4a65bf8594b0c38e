/** Descriptions of tags: rooms, form fields, tags without a room, and unknown tags. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FormField } from "../../../src/contract/forms.ts";
import { type InsightType, insightTypes } from "../../../src/contract/insights.ts";
import { createForm } from "../../../src/server/feedback/forms.ts";
import { findQuestions } from "../../../src/server/feedback/questions.ts";
import { collectQuestions, describeTag } from "../../../src/server/insights/describe-tag.ts";
import { formatTag } from "../../../src/server/insights/wording.ts";
import { answerLocation } from "../../../src/shared/tags.ts";
import { startTestService, type TestService } from "../../harness.ts";

const field = (id: string, label: string): FormField => ({ id, label, kind: "rating-1-5" });
const questions = collectQuestions([
  field("fun", "How much fun was it?"),
  field("Hard Part", "What was hard?"),
]);
const textsOf = (tag: string) => Object.values(describeTag(tag, questions));

describe("describeTag", () => {
  it.each<[string, string, string, string]>([
    [
      "difficulty-spike:level-09",
      "repeated failures in level-09",
      "Struggles in level-09",
      "Ease the difficulty in level-09",
    ],
    ["difficulty-spike:session", "repeated failures", "Struggles", "Ease the difficulty"],
    [
      "negative-moment:feedback-fun",
      "unhappy answers to “How much fun was it?”",
      "Gives unhappy answers to “How much fun was it?”",
      "Look into the unhappy answers to “How much fun was it?”",
    ],
    [
      "confusion:feedback-hard-part",
      "confused answers to “What was hard?”",
      "Gives confused answers to “What was hard?”",
      "Look into the confused answers to “What was hard?”",
    ],
    [
      "negative-moment:feedback-gone",
      "unhappy answers to “gone”",
      "Gives unhappy answers to “gone”",
      "Look into the unhappy answers to “gone”",
    ],
    [
      "stuck-point:feedback-fun",
      "getting stuck in feedback-fun",
      "Gets stuck in feedback-fun",
      "Make the way forward clearer in feedback-fun",
    ],
    [
      "negative-moment:transcript",
      "complaints in a recording",
      "Complains in a recording",
      "Look into the complaints in a recording",
    ],
    [
      "bug-report:frame-rate-cave",
      "a low frame rate in cave",
      "Has a low frame rate in cave",
      "Raise the frame rate in cave",
    ],
    ["bug-report:frame-rate-session", "a low frame rate", "Has a low frame rate", "Raise the frame rate"],
    ["bug-report:crash", "crashes", "Runs into crashes", "Fix the crashes"],
    [
      "bug-report:out-of-memory",
      "bugs around out-of-memory",
      "Runs into bugs around out-of-memory",
      "Fix the bugs around out-of-memory",
    ],
    ["odd:place", "Odd in place", "Encounters Odd in place", "Look into Odd in place"],
    ["constructor:x", "Constructor in x", "Encounters Constructor in x", "Look into Constructor in x"],
  ])("%s", (tag, ...texts) => {
    expect(textsOf(tag)).toEqual(texts);
  });

  it("describes tags of every insight type", () => {
    const describeType = (type: InsightType) => textsOf(formatTag(type, "cave"));
    for (const type of insightTypes)
      for (const text of describeType(type)) expect(text).toMatch(/ (in|around) cave$/);
  });

  it("uses the full label of a field whose id is too long for a tag", () => {
    const id = "x".repeat(200);
    const tag = formatTag("praise", answerLocation(id));
    expect(describeTag(tag, collectQuestions([field(id, "Why?")])).theme).toBe("happy answers to “Why?”");
  });

  it("returns one line, whatever the label contains", () => {
    const { theme } = describeTag(
      "praise:feedback-a",
      collectQuestions([field("a", `\u202eA\n${"b".repeat(500)}`)]),
    );
    expect(theme).toMatch(/^happy answers to “A b+…”$/);
    expect(theme.length).toBeLessThan(120);
  });
});

describe("findQuestions", () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startTestService();
  });
  afterEach(() => service.stop());

  it("prefers active forms, then newer ones, and ignores other games", async () => {
    const { writeDb, readDb } = service.service.store;
    const [ember, tide] = [await service.addGame("ember"), await service.addGame("tide")];
    const add = async (gameId: string, active: boolean, ...fields: FormField[]) => {
      service.clock.now += 1;
      await createForm(writeDb, service.service, gameId, { name: "f", fields, triggerHint: "", active });
    };
    await add(ember, true, field("fun", "active"), field("old", "older"));
    await add(ember, true, field("old", "newer"));
    await add(ember, false, field("fun", "off"), field("rest", "inactive, only form"));
    await add(tide, true, field("fun", "of another game"));
    const questions = await findQuestions(readDb, ember);
    const labels = ["fun", "old", "rest", "none"].map((id) => questions.get(`praise:feedback-${id}`));
    expect(labels).toEqual(["active", "newer", "inactive, only form", undefined]);
  });
});
