/** Width, truncation, padding and wrapping match what terminals draw. */

import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { SIMPLE } from "../../src/render/characters.ts";
import { displayWidth, pad, truncate } from "../../src/render/text.ts";
import { wrapText } from "../../src/render/wrap.ts";
import { LINEAR, measureGrowth } from "../cpu-time.ts";
import fc from "../property.ts";
import { hostileText, SHAPES, shapedText } from "./samples.ts";

describe("displayWidth", () => {
  it("matches string-width for every character of the fast path", () => {
    const differ: string[] = [];
    for (let point = 0x20; point <= 0x2fffd; point++) {
      const character = String.fromCodePoint(point);
      // The widths of unassigned characters are undefined, and the two tables differ there.
      if (!SIMPLE.test(character) || /\p{Cn}/u.test(character)) continue;
      if (displayWidth(character) !== stringWidth(character)) differ.push(point.toString(16));
    }
    expect(differ).toEqual([]);
  });

  it("matches string-width for mixed scripts and emoji", () => {
    fc.assert(
      fc.property(shapedText, (text) => {
        expect(displayWidth(text)).toBe(stringWidth(text));
      }),
    );
  });

  it.each([
    ["", 0],
    ["\u0301", 0],
    ["日本", 4],
    ["👩‍👩‍👧‍👦", 2],
    ["🇩🇪", 2],
    ["1️⃣", 2],
    ["e\u0301", 1],
    ["क्ष", 2],
  ])("%j takes %i", (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

describe("truncate", () => {
  it.each([
    ["short", 5, "short"],
    ["longer", 5, "long…"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    ["a👩‍👩‍👧‍👦b", 3, "a…"],
    ["abc", 1, "…"],
    ["abc", 0, ""],
    ["abc", Number.POSITIVE_INFINITY, "abc"],
  ])("%j in %d", (text, width, expected) => {
    expect(truncate(text, width)).toBe(expected);
  });

  it("never exceeds the width, and does not change text that fits", () => {
    fc.assert(
      fc.property(fc.oneof(shapedText, hostileText), fc.integer({ min: 0, max: 40 }), (text, width) => {
        const cut = truncate(text, width);
        expect(displayWidth(cut)).toBeLessThanOrEqual(width);
        if (width > 0 && displayWidth(text) <= width) expect(cut).toBe(text);
      }),
    );
  });

  it("truncates between grapheme clusters, and no more than necessary", () => {
    const segmenter = new Intl.Segmenter("en");
    fc.assert(
      fc.property(shapedText, fc.integer({ min: 1, max: 40 }), (text, width) => {
        const cut = truncate(text, width);
        if (cut === text) return;
        const kept = cut.slice(0, -1);
        const starts = [...segmenter.segment(text)].map(({ index }) => index);
        expect(starts).toContain(kept.length);
        const next = [...segmenter.segment(text)].find(({ index }) => index === kept.length);
        expect(displayWidth(kept + next?.segment)).toBeGreaterThan(width - 1);
      }),
    );
  });

  it("truncates 100 KB in linear time", () => {
    const growth = measureGrowth(25_000, (length) => {
      for (const shape of ["x", "日", "e\u0301", "e\u0301\u0302\u0303\u0304", "👩‍👩‍👧‍👦"]) {
        expect(displayWidth(truncate(shape.repeat(length / shape.length), 40))).toBeGreaterThan(37);
      }
      expect(displayWidth(`a${"\u0301".repeat(length)}`)).toBe(1);
    });
    expect(growth).toBeLessThan(LINEAR);
  });
});

describe("pad", () => {
  it.each([
    ["ab", 4, "left", "ab  "],
    ["ab", 4, "right", "  ab"],
    ["日", 4, "right", "  日"],
    ["abcdef", 4, "left", "abcdef"],
  ] as const)("%j to %d, %s", (text, width, align, expected) => {
    expect(pad(text, width, align)).toBe(expected);
  });
});

describe("wrapText", () => {
  it("breaks at spaces, and inside a word only if it is longer than a line", () => {
    expect(wrapText("the quick brown\nfox incomprehensibilities", 9)).toEqual([
      "the quick",
      "brown",
      "fox",
      "incompreh",
      "ensibilit",
      "ies",
    ]);
  });

  it("keeps every character, and no line exceeds the width", () => {
    const width = fc.integer({ min: 2, max: 30 });
    fc.assert(
      fc.property(shapedText, width, (text, most) => {
        const lines = wrapText(text, most);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(most);
        expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
      }),
    );
  });

  it("wraps 100 KB without spaces in linear time", () => {
    const growth = measureGrowth(7500, (times) => {
      expect(wrapText("日e\u0301".repeat(times), 60)).toHaveLength(times / 20);
    });
    expect(growth).toBeLessThan(LINEAR);
  });

  it("never splits a grapheme cluster", () => {
    for (const shape of SHAPES) expect(wrapText(shape, 80)).toEqual([shape]);
  });
});
