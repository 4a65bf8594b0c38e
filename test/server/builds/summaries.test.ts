/** Words of a model: no number stands in them that it was not shown, however it is written. */
import { expect, it } from "vitest";
import { hasOnlyKnownNumbers } from "../../../src/server/builds/summaries.ts";

const material = JSON.stringify({ tag: "difficulty-spike:level-09", testers: 12, name: "２" });

it.each(["Level 09 is hard.", "12 of them struggled.", "Nobody left.", "The 2nd one.", "The ２nd one."])(
  "%j is let through",
  (words) => {
    expect(hasOnlyKnownNumbers(words, material)).toBe(true);
  },
);

it.each(["90 % left.", "9 left.", "120 left.", "９０ % left.", "٩٠ left.", "1³ left.", "½ left."])(
  "%j is not",
  (words) => {
    expect(hasOnlyKnownNumbers(words, material)).toBe(false);
  },
);
