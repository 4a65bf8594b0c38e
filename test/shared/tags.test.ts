import { expect, it } from "vitest";
import {
  formatTagTitle,
  formatTitleAndTag,
  getTagTitle,
  MAX_TITLE_LENGTH,
  parseTag,
} from "../../src/shared/tags.ts";

it.each([
  ["difficulty-spike:furnace", "Difficulty spike in furnace"],
  ["pacing-issue:session", "Pacing issue"],
  ["ui-friction:shop", "UI friction in shop"],
  ["bug-report:furnace", "Bugs: furnace"],
  ["bug-report:crash", "Crashes"],
  ["bug-report:frame-rate-ash-bridge", "Low frame rate in ash-bridge"],
  ["bug-report:frame-rate-session", "Low frame rate"],
  ["confusion:feedback-more", "Confusion reported in answers (form field: more)"],
  ["confusion:feedback-", "Confusion reported in answers"],
  ["praise:transcript", "Praise in transcripts"],
  ["negative-moment:furnace", "Left furnace unfinished"],
  ["negative-moment:session", "Stopped playing after a failure"],
  ["negative-moment:room--transcript", "Left transcript unfinished"],
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

const tag = "confusion:feedback-more";

it("shows the title of the service instead of its own words, on one line", () => {
  const title = " Confusion reported in answers\r\nto\u2028“Anything\u0085else?” ";
  expect(getTagTitle({ tag, title })).toBe("Confusion reported in answers to “Anything else?”");
  expect(formatTitleAndTag({ tag, title })).toBe(
    `Confusion reported in answers to “Anything else?” (${tag})`,
  );
});

it.each([undefined, null, "", " \n "])("uses its own words for the title %j", (title) => {
  expect(getTagTitle({ tag, title })).toBe("Confusion reported in answers (form field: more)");
});

it("truncates long titles without splitting a character", () => {
  expect(getTagTitle({ tag, title: "x".repeat(MAX_TITLE_LENGTH) })).toHaveLength(MAX_TITLE_LENGTH);
  for (const title of [
    "x".repeat(MAX_TITLE_LENGTH + 1),
    `x${"😀".repeat(MAX_TITLE_LENGTH)}`,
    "x\n".repeat(9999),
  ]) {
    const shown = getTagTitle({ tag, title });
    expect(shown.length).toBeLessThanOrEqual(MAX_TITLE_LENGTH);
    expect(shown).toMatch(/^x.*…$/u);
    expect(shown.isWellFormed()).toBe(true);
  }
});
