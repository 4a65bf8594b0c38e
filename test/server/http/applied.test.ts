/** Extension parameters, which the service repeats in the response. */
import { describe, expect, it } from "vitest";
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
