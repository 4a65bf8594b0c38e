/** Extension parameters: the service repeats them in the response, and clients detect ignored ones. */
import { describe, expect, it } from "vitest";
import { findIgnoredExtensions } from "../../../src/contract/applied.ts";
import { withApplied } from "../../../src/server/http/steps/call.ts";

const endpoint = { extensions: ["room", "limit"] };

describe("withApplied", () => {
  it("returns the same JSON if the request has no extension parameters", () => {
    const text = '{"a":1}';
    expect(withApplied(text, endpoint, { build: "1", room: undefined })).toBe(text);
  });

  it("adds the extension parameters of the request, but no other parameters", () => {
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

describe("findIgnoredExtensions", () => {
  const input = { game: "ember", room: "attic" };

  it("returns none if all are repeated or the request has none", () => {
    expect(findIgnoredExtensions(endpoint, input, { applied: { room: "attic" } })).toEqual([]);
    expect(findIgnoredExtensions(endpoint, { game: "ember" }, {})).toEqual([]);
  });

  it("returns an extension that is not repeated or has another value", () => {
    for (const answer of [{}, { applied: null }, { applied: {} }, { applied: { room: "cellar" } }, null]) {
      expect(findIgnoredExtensions(endpoint, input, answer)).toEqual(["room"]);
    }
  });
});
