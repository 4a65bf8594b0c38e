/** Formatting of tags, quotes, counts and durations. */

import { expect, it } from "vitest";
import {
  formatDuration,
  formatEventIds,
  formatRoomTag,
  formatTag,
  MAX_LISTED_IDS,
  MAX_QUOTE_LENGTH,
  quote,
} from "../../../src/server/insights/wording.ts";
import { MAX_TAG_LENGTH, slugify } from "../../../src/shared/slugs.ts";
import { NO_ROOM, parseTag } from "../../../src/shared/tags.ts";
import { formatCount } from "../../../src/shared/words.ts";
import fc from "../../property.ts";
import { createEvents, repeated, tagShape } from "../analysis/recorded-sessions.ts";

it.each([
  ["level-09", "level-09"],
  ["Level 09", "level-09"],
  ["  Boss / Arena!! (2) ", "boss-arena-2"],
  ["v1.2_final", "v1.2_final"],
  ["a -- b", "a-b"],
  ["Élan Vital", "élan-vital"],
  ["ÉTAGE", "étage"],
  ["Ｌｅｖｅｌ　１", "level-1"],
  ["第一章", "第一章"],
  ["स्तर", "स्तर"],
  ["__proto__", "__proto__"],
  ["<script>alert(1)</script>", "script-alert-1-script"],
  ["a\u0000b\nc", "a-b-c"],
  ["🔥", "u1f525"],
  ["🔥🧊", "u1f525-u1f9ca"],
  ["///", "u2f-u2f-u2f"],
  ["\ud800", "ud800"],
  ["", "none"],
])("converts %j to the slug %j", (text, slug) => {
  expect(slugify(text)).toBe(slug);
});

it("formats any text as a valid tag, and a slug as itself", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      const tag = formatTag("difficulty-spike", text);
      expect(tag).toMatch(tagShape);
      expect(tag.length).toBeLessThanOrEqual(MAX_TAG_LENGTH);
      expect(tag.isWellFormed()).toBe(true);
      expect(formatTag("difficulty-spike", tag.slice("difficulty-spike:".length))).toBe(tag);
    }),
  );
});

it.each([
  ["negative-moment", "transcript", "negative-moment:room--transcript"],
  ["negative-moment", "Feedback Hall", "negative-moment:room--feedback-hall"],
  ["bug-report", "crash", "bug-report:room--crash"],
  ["bug-report", "frame-rate-a", "bug-report:room--frame-rate-a"],
  ["difficulty-spike", "Session", "difficulty-spike:room--session"],
  ["difficulty-spike", "transcript", "difficulty-spike:transcript"],
  ["negative-moment", "room transcript", "negative-moment:room-transcript"],
  ["negative-moment", NO_ROOM, "negative-moment:session"],
])("tags a %s in the room %s as %s", (kind, room, tag) => {
  expect(formatRoomTag(kind, room)).toBe(tag);
});

it("formats the tag of any room so that it is read as a room", () => {
  const kind = fc.constantFrom("negative-moment", "bug-report", "stuck-point");
  const name = fc.tuple(
    fc.constantFrom("", "feedback-", "frame-rate-", "crash", "transcript", "Session"),
    fc.string({ unit: "binary", maxLength: 300 }),
  );
  fc.assert(
    fc.property(kind, name, (type, [start, end]) => {
      const tag = formatRoomTag(type, `${start}${end} x`);
      expect(parseTag(tag)).toMatchObject({ scope: "room", location: expect.stringMatching(/./) });
      expect(tag).toMatch(tagShape);
      expect(tag.length).toBeLessThanOrEqual(MAX_TAG_LENGTH);
    }),
  );
});

it("truncates long names without splitting a character", () => {
  expect(formatTag("bug-report", "x".repeat(1e6))).toBe(`bug-report:${"x".repeat(69)}`);
  expect(slugify(`${"x".repeat(79)}𠮷𠮷`)).toBe("x".repeat(79));
  expect(quote("𠮷".repeat(200)).isWellFormed()).toBe(true);
});

it("quotes on one line, without control or bidirectional formatting characters", () => {
  expect(quote("  a\r\n\tb\u0000\u001b[31mc\u202ed\u2028e ")).toBe("a b [31mc d e");
  expect(quote("👩‍🚀 नमस्ते")).toBe("👩‍🚀 नमस्ते");
  expect(quote("a\ud800b")).toBe("a\ufffdb");
});

it("ends truncated quotes with an ellipsis", () => {
  expect(quote("x".repeat(MAX_QUOTE_LENGTH))).toBe("x".repeat(MAX_QUOTE_LENGTH));
  expect(quote("x".repeat(MAX_QUOTE_LENGTH + 1))).toBe(`${"x".repeat(MAX_QUOTE_LENGTH - 1)}…`);
  expect(quote(`x${" ".repeat(1e5)}y`)).toBe("x…");
});

it("lists event ids up to the maximum", () => {
  const events = createEvents(repeated(MAX_LISTED_IDS + 2, "fail", "a"));
  expect(formatEventIds(events, [3])).toBe("event e3");
  expect(formatEventIds(events, [0, 2])).toBe("events e0, e2");
  expect(formatEventIds(events, [...events.keys()])).toBe(
    "events e0, e1, e2, e3, e4, e5, e6, e7, e8, e9 and 2 more",
  );
});

it("formats counts and durations", () => {
  expect([
    formatCount(0, "failure"),
    formatCount(1, "failure"),
    formatCount(2, "success", "successes"),
  ]).toEqual(["0 failures", "1 failure", "2 successes"]);
  expect([0, 59_499, 59_500, 250_000, 3_600_000, 7_500_000].map(formatDuration)).toEqual([
    "0s",
    "59s",
    "1m",
    "4m 10s",
    "1h",
    "2h 5m",
  ]);
});
