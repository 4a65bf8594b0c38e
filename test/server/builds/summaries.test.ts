/** Check that text from a model contains only numbers from its material, in any notation. */
import { expect, it } from "vitest";
import { hasOnlyKnownNumbers } from "../../../src/server/builds/summaries.ts";

const material = JSON.stringify({ tag: "difficulty-spike:level-09", testers: 12, name: "２" });

it.each(["Level 09 is hard.", "12 of them struggled.", "Nobody left.", "The 2nd one.", "The ２nd one."])(
  "accepts %j",
  (text) => {
    expect(hasOnlyKnownNumbers(text, material)).toBe(true);
  },
);

it.each(["90 % left.", "9 left.", "120 left.", "９０ % left.", "٩٠ left.", "1³ left.", "½ left."])(
  "rejects %j",
  (text) => {
    expect(hasOnlyKnownNumbers(text, material)).toBe(false);
  },
);
