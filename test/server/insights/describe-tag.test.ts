/** Descriptions of tags: rooms, form fields, tags without a room, and unknown tags. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FormField } from "../../../src/contract/forms.ts";
import { type InsightType, insightTypes } from "../../../src/contract/insights.ts";
import { findQuestions } from "../../../src/server/feedback/form-queries.ts";
import { createForm } from "../../../src/server/feedback/forms.ts";
import { collectQuestions, describeTag } from "../../../src/server/insights/describe-tag.ts";
import { formatTag } from "../../../src/server/insights/wording.ts";
import { formatAnswerTag } from "../../../src/shared/slugs.ts";
import { startTestService, type TestService } from "../../harness.ts";

const field = (id: string, label: string): FormField => ({ id, label, kind: "rating-1-5" });
const questions = collectQuestions([
  field("fun", "How much fun was it?"),
  field("Hard Part", "What was hard?"),
]);
const textsOf = (tag: string) => Object.values(describeTag(tag, questions));

describe("describeTag", () => {
  /** Each line: the tag, its description within a sentence, as a title, and as a suggestion. */
  it.each([
    "difficulty-spike:level-09; difficulty spike in level-09; Difficulty spike in level-09; Ease the difficulty in level-09",
    "difficulty-spike:session; difficulty spike; Difficulty spike; Ease the difficulty",
    "negative-moment:feedback-fun; unhappy answers to “How much fun was it?”; Unhappy answers to “How much fun was it?”; Look into the unhappy answers to “How much fun was it?”",
    "confusion:feedback-hard-part; confusion reported in answers to “What was hard?”; Confusion reported in answers to “What was hard?”; Look into the confusion reported in answers to “What was hard?”",
    "negative-moment:feedback-gone; unhappy answers (form field: gone); Unhappy answers (form field: gone); Look into the unhappy answers (form field: gone)",
    "stuck-point:feedback-fun; stuck point in feedback-fun; Stuck point in feedback-fun; Make the way forward clearer in feedback-fun",
    "negative-moment:transcript; complaints in transcripts; Complaints in transcripts; Look into the complaints in transcripts",
    "bug-report:frame-rate-cave; low frame rate in cave; Low frame rate in cave; Raise the frame rate in cave",
    "bug-report:frame-rate-session; low frame rate; Low frame rate; Raise the frame rate",
    "negative-moment:cave; leaving cave unfinished; Left cave unfinished; Address what makes testers leave in cave",
    "negative-moment:session; stopping after a failure; Stopped playing after a failure; Address what makes testers leave",
    "negative-moment:room--transcript; leaving transcript unfinished; Left transcript unfinished; Address what makes testers leave in transcript",
    "bug-report:room--crash; bugs around crash; Bugs: crash; Fix the bugs around crash",
    "ui-friction:shop; UI friction in shop; UI friction in shop; Simplify the UI in shop",
    "bug-report:session; bugs; Bugs; Fix the bugs",
    "bug-report:crash; crashes; Crashes; Fix the crashes",
    "bug-report:out-of-memory; bugs around out-of-memory; Bugs: out-of-memory; Fix the bugs around out-of-memory",
    "odd:place; odd in place; Odd in place; Look into odd in place",
    "constructor:x; constructor in x; Constructor in x; Look into constructor in x",
  ])("%s", (line) => {
    const [tag = "", ...texts] = line.split("; ");
    expect(textsOf(tag)).toEqual(texts);
  });

  it("describes tags of every insight type", () => {
    const describeType = (type: InsightType) => textsOf(formatTag(type, "cave"));
    for (const type of insightTypes)
      for (const text of describeType(type))
        expect(text).toMatch(/( in| around|:|eft|eaving) cave( unfinished)?$/);
  });

  it("uses the full label of a field whose id is too long for a tag", () => {
    const id = "x".repeat(200);
    const tag = formatAnswerTag("praise", id);
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

  it("returns the label that all forms of the game give a field, and no label if they differ", async () => {
    const { writeDb, readDb } = service.service.store;
    const [ember, tide] = [await service.addGame("ember"), await service.addGame("tide")];
    const add = async (gameId: string, active: boolean, ...fields: FormField[]) => {
      service.clock.now += 1;
      await createForm(writeDb, service.service, gameId, { name: "f", fields, triggerHint: "", active });
    };
    await add(ember, true, field("fun", "Fun?"), field("hard", "What was hard?"), field("Why Not", "Why?"));
    await add(ember, false, field("fun", "Fun?\n"), field("hard", "What was difficult?"));
    await add(ember, true, field("why-not", "Why not?"), field("hard", "What was hard?"));
    await add(tide, true, field("fun", "of another game"));
    const questions = await findQuestions(readDb, ember);
    const labels = ["fun", "hard", "why-not", "none"].map((id) => questions.get(`praise:feedback-${id}`));
    // The ids "Why Not" and "why-not" have the same tag.
    expect(labels).toEqual(["Fun?\n", undefined, undefined, undefined]);
  });
});
