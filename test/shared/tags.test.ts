import { expect, it } from "vitest";
import { formatTagTitle, parseTag } from "../../src/shared/tags.ts";

it.each([
  ["difficulty-spike:furnace", "Difficulty spike in furnace"],
  ["pacing-issue:session", "Pacing issue"],
  ["ui-friction:shop", "UI friction in shop"],
  ["bug-report:furnace", "Bugs: furnace"],
  ["bug-report:crash", "Crashes"],
  ["bug-report:frame-rate-ash-bridge", "Low frame rate in ash-bridge"],
  ["bug-report:frame-rate-session", "Low frame rate"],
  ["confusion:feedback-more", "Confused answers (form field: more)"],
  ["confusion:feedback-", "Confused answers"],
  ["praise:transcript", "Praise in transcripts"],
  ["negative-moment:furnace", "Gave up or quit in furnace"],
  ["loot-drought:vault", "Loot drought in vault"],
  ["not a tag", "not a tag"],
  [":furnace", ":furnace"],
  ["praise:", "praise:"],
])("shows the tag %s as %s", (tag, title) => expect(formatTagTitle(tag)).toBe(title));

it("treats a room named like a form field as a room for types that have no answers", () => {
  expect(parseTag("stuck-point:feedback-more")).toEqual({
    kind: "stuck-point",
    scope: "room",
    location: "feedback-more",
  });
});
