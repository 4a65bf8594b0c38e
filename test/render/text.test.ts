/** Untrusted text is safe in a terminal, and no character is lost. */

import { describe, expect, it } from "vitest";
import { SIMPLE } from "../../src/render/characters.ts";
import {
  cleanBlock,
  cleanLine,
  escapeBlock,
  escapeJson,
  escapeLine,
  MAX_TEXT_LENGTH,
  withoutCommands,
} from "../../src/render/text.ts";
import { LINEAR, measureGrowth } from "../cpu-time.ts";
import fc from "../property.ts";
import { ATTACKS, forbiddenIn, hostileText, SHAPES } from "./samples.ts";

describe("cleanLine", () => {
  it.each([
    ["plain ascii", "level-09 ~ ok", "level-09 ~ ok"],
    ["an escape sequence", "\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"],
    ["a C1 sequence", "\x9b31m", "\\x9b31m"],
    ["BEL, BS and DEL", "\x07\b\x7f", "\\x07\\x08\\x7f"],
    ["line ends and tabs", "a\r\nb\tc", "a\\r\\nb\\tc"],
    ["a bidi override", "a\u202egnp.exe", "a\\u202egnp.exe"],
    ["bidi isolates and marks", "\u2066\u2069\u200f\u061c", "\\u2066\\u2069\\u200f\\u061c"],
    ["line separators", "\u2028\u2029", "\\u2028\\u2029"],
    ["zero widths", "pass\u200bword\ufeff", "pass\\u200bword\\ufeff"],
    ["a tag character", "\u{e0041}", "\\u{e0041}"],
    ["lone surrogates", "\ud800x\udc00", "\\ud800x\\udc00"],
    ["a filler that shows as nothing", "\u3164", "\\u3164"],
    ["a mark with nothing under it", "\u0301a", "\\u0301a"],
    ["a joiner between letters", "a\u200db", "a\\u200db"],
    ["a selector after a letter", "a\ufe0f", "a\\ufe0f"],
    ["a second selector after an emoji", "❤\ufe0f\ufe0f", "❤\ufe0f\\ufe0f"],
    ["a joiner after an emoji with no other after it", "👩\u200dx", "👩\\u200dx"],
  ])("%s", (_name, text, expected) => {
    expect(cleanLine(text)).toBe(expected);
  });

  it("keeps scripts and emoji sequences unchanged", () => {
    for (const shape of SHAPES) expect(cleanLine(`x${shape}y`)).toBe(`x${shape}y`);
  });

  it("keeps eight combining marks per character and escapes the rest", () => {
    expect(cleanLine(`a${"\u0301".repeat(10)}b`)).toBe(`a${"\u0301".repeat(8)}\\u0301\\u0301b`);
  });

  it("never returns control or invisible characters", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(forbiddenIn(cleanLine(text), "\u200d")).toEqual([]);
      }),
    );
  });

  it("keeps a joiner or selector only within an emoji", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const rest = cleanLine(text)
          .replace(/\p{Extended_Pictographic}[\ufe0e\ufe0f]/gu, "x")
          .replace(/[\d#*]\ufe0f\u20e3/g, "x")
          .replace(
            /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}x])\u200d(?=[\p{Extended_Pictographic}x])/gu,
            "",
          );
        expect(rest).not.toMatch(/[\u200d\ufe0e\ufe0f]/);
      }),
    );
  });

  it("does not change cleaned text", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(cleanLine(cleanLine(text))).toBe(cleanLine(text));
      }),
    );
  });

  it("keeps every character or its code point", () => {
    for (const attack of ATTACKS) {
      for (const character of attack) {
        const named = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[character];
        const hex = (character.codePointAt(0) ?? 0).toString(16);
        expect(cleanLine(`a${character}b`)).toContain(
          named ?? (character < " " || character > "~" ? hex : character),
        );
      }
    }
  });

  it("escapes 100 KB of any text in linear time", () => {
    const growth = measureGrowth(25_000, (length) => {
      for (const text of ["x", "日", "\u0301", "\x1b", "👩\u200d", "e\u0301"]) {
        expect(escapeLine(text.repeat(length / text.length)).length).toBeGreaterThan(0.9 * length);
      }
    });
    expect(growth).toBeLessThan(LINEAR);
  });
});

describe("cleanBlock", () => {
  it("keeps line feeds and converts CR LF to LF", () => {
    expect(cleanBlock("one\r\ntwo\nthree\rfour\x1b[2J")).toBe("one\ntwo\nthree\\rfour\\x1b[2J");
  });

  it("escapes a mark at the start of a line", () => {
    expect(cleanBlock("a\n\u0301b")).toBe("a\n\\u0301b");
  });

  it("never returns other control or invisible characters", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(forbiddenIn(cleanBlock(text), "\n\u200d")).toEqual([]);
      }),
    );
  });
});

describe("escapeJson", () => {
  it("escapes control characters", () => {
    const json = JSON.stringify({ a: "\x9b1m\u202e\u2028\x7f", b: "\u{e0041}👍🏽 日本" });
    expect(escapeJson(json)).toBe('{"a":"\\u009b1m\\u202e\\u2028\\u007f","b":"\\udb40\\udc41👍🏽 日本"}');
  });

  it("keeps the parsed value, and has no control or invisible characters", () => {
    const values = fc.jsonValue({ stringUnit: "binary" });
    const any = fc.oneof(values, hostileText, fc.dictionary(hostileText, hostileText));
    fc.assert(
      fc.property(any, fc.constantFrom(0, 2), (value, indent) => {
        const json = JSON.stringify(value, null, indent);
        const escaped = escapeJson(json);
        expect(JSON.stringify(JSON.parse(escaped))).toBe(JSON.stringify(JSON.parse(json)));
        expect(forbiddenIn(escaped, "\n\u200d")).toEqual([]);
      }),
    );
  });

  it("escapes raw lone surrogates and carriage returns between tokens", () => {
    const json = '{"a":"\ud800",\r\n"b":1}\r';
    expect(escapeJson(json)).toBe('{"a":"\\ud800",\n\n"b":1}\n');
    expect(JSON.parse(escapeJson(json))).toEqual(JSON.parse(json));
  });
});

describe("text for the log of a CI service", () => {
  it.each([
    ["::error::x", "\\::error::x"],
    ["a\n \t::stop-commands::x\nb", "a\n \t\\::stop-commands::x\nb"],
    ["a ##[error]x", "a ##\\[error]x"],
    ["##vso[task.complete]x", "##vso\\[task.complete]x"],
    ["##teamcity[message]", "##teamcity\\[message]"],
    ["std::vector, # 1, ## 2 [x]\n", "std::vector, # 1, ## 2 [x]\n"],
  ])("contains no command: %j", (text, safe) => {
    expect(withoutCommands(text)).toBe(safe);
    expect(withoutCommands(safe)).toBe(safe);
  });

  it("keeps its value as JSON", () => {
    const value = { a: "##[error]x", "b\\##vso[c]": ["###[d]"] };
    const json = escapeJson(JSON.stringify(value));
    expect(json).not.toMatch(/##(vso)?\[/);
    expect(JSON.parse(json)).toEqual(value);
  });
});

describe("the fast path", () => {
  it("accepts only characters that are safe individually", () => {
    let passed = 0;
    for (let point = 0; point <= 0x10ffff; point++) {
      const character = String.fromCodePoint(point);
      if (!SIMPLE.test(character)) continue;
      passed += 1;
      if (
        forbiddenIn(character).length > 0 ||
        /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(character)
      ) {
        expect.fail(`U+${point.toString(16)} passes`);
      }
    }
    expect(passed).toBeGreaterThan(50_000);
  });
});

describe("a long text", () => {
  it("is truncated for people and complete as data", () => {
    const text = "a".repeat(MAX_TEXT_LENGTH);
    for (const clean of [cleanLine, cleanBlock]) {
      expect(clean(text)).toBe(text);
      expect(clean(`${text}b`)).toBe(`${text.slice(1)}…`);
      expect(clean(clean(`${text}b`))).toBe(`${text.slice(1)}…`);
    }
    for (const keep of [escapeLine, escapeBlock]) expect(keep(`${text}b`)).toBe(`${text}b`);
  });

  it("is not truncated within a surrogate pair", () => {
    const text = `${"a".repeat(MAX_TEXT_LENGTH - 2)}😀b`;
    expect(cleanLine(text)).toBe(`${"a".repeat(MAX_TEXT_LENGTH - 2)}…`);
  });
});

describe("withoutCommands", () => {
  it("escapes commands after any white space at the start of a line", () => {
    for (const space of ["", " ", "\t", "\r", "\u2028", "\u00a0 ", "\r\r"]) {
      for (const before of ["", "a\n", "\n\n", "::x\n"]) {
        expect(withoutCommands(`${before}${space}::error::x`)).not.toMatch(/^\s*::/m);
      }
    }
    expect(withoutCommands("a::b\n:c")).toBe("a::b\n:c");
  });
});
