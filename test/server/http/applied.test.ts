/** Answers repeat the query extensions that a request gave, and clients notice where one is not repeated. */
import { describe, expect, it } from "vitest";
import { findIgnoredExtensions } from "../../../src/contract/applied.ts";
import { withApplied } from "../../../src/server/http/applied.ts";

const endpoint = { extensions: ["room", "limit"] };

describe("withApplied", () => {
  it("returns the same text where no extension was given", () => {
    const text = '{"a":1}';
    expect(withApplied(text, endpoint, { build: "1", room: undefined })).toBe(text);
  });

  it("adds the extensions that were given, and no other parameter", () => {
    const given = { build: "1", room: 'a "b"', limit: 3 };
    expect(JSON.parse(withApplied('{"a":1}', endpoint, given))).toEqual({
      a: 1,
      applied: { room: 'a "b"', limit: 3 },
    });
  });

  it("adds them to an empty object", () => {
    expect(withApplied("{}", endpoint, { limit: 0 })).toBe('{"applied":{"limit":0}}');
  });
});

describe("ignoredExtensions", () => {
  const asked = { game: "ember", room: "attic" };

  it("finds none where every extension is repeated, or none was given", () => {
    expect(findIgnoredExtensions(endpoint, asked, { applied: { room: "attic" } })).toEqual([]);
    expect(findIgnoredExtensions(endpoint, { game: "ember" }, {})).toEqual([]);
  });

  it("finds an extension that is not repeated, or with another value", () => {
    for (const answer of [{}, { applied: null }, { applied: {} }, { applied: { room: "cellar" } }, null]) {
      expect(findIgnoredExtensions(endpoint, asked, answer)).toEqual(["room"]);
    }
  });
});
