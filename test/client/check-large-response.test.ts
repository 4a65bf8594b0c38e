/** The quick check accepts only what the validator accepts, and every response of the service. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { getQuickCheck } from "../../src/client/check-large-response.ts";
import { listRawEvents } from "../../src/contract/events.ts";
import fc from "../property.ts";

const event = {
  ...{ id: "e1", name: "jump", timestamp: 1, sessionId: "s1", deviceId: null, build: "1.0" },
  ...{ environment: "production", source: "unity-telemetry", room: "dock", x: 1.5, y: -2, receivedAt: 2 },
  data: { room: "dock", nested: { list: [1, null] } },
};
const page = { items: [event], next: null, unreadable: 0, settledUntil: 5 };
const check = getQuickCheck(listRawEvents.response);

describe("the quick check", () => {
  test("accepts a page of raw events, with unknown fields too", () => {
    expect(check(page)).toBe(true);
    expect(check({ ...page, added: [1], items: [{ ...event, added: {} }] })).toBe(true);
  });

  test.each([
    ["no object", null],
    ["a list", []],
    ["items that are no list", { ...page, items: { length: 0 } }],
    ["an item that is null", { ...page, items: [event, null] }],
    ["a missing field", { ...page, items: [{ ...event, id: undefined }] }],
    ["a number as text", { ...page, items: [{ ...event, x: "1" }] }],
    ["an infinite number", { ...page, items: [{ ...event, x: Number.POSITIVE_INFINITY }] }],
    ["a fraction of a millisecond", { ...page, items: [{ ...event, receivedAt: 1.5 }] }],
    ["data that is a list", { ...page, items: [{ ...event, data: [] }] }],
    ["a negative count", { ...page, unreadable: -1 }],
  ])("rejects %s, like the validator", (_name, value) => {
    expect([check(value), listRawEvents.response.safeParse(value).success]).toEqual([false, false]);
  });

  test("never accepts what the validator rejects", () => {
    const schemas = [
      z.object({ a: z.string().min(2), b: z.number().max(3).nullish(), c: z.boolean() }),
      z.array(z.union([z.string(), z.int()])),
      z.array(z.int()).max(2),
      z.strictObject({ a: z.string() }),
      z.looseObject({ a: z.enum(["x", "y"]).optional() }),
      z.record(z.string(), z.number()),
      z.object({ a: z.string().email().nullable() }).refine(({ a }) => a !== null),
      z.array(z.array(z.literal("x"))),
    ];
    const scalar = fc.constantFrom(null, "x", "xyz", "a@b.co", 1, 2.5, 1e16, true, undefined, [], {});
    const object = fc.dictionary(fc.constantFrom("a", "b", "c"), scalar);
    const value = fc.oneof(scalar, object, fc.array(fc.oneof(scalar, fc.array(scalar))));
    fc.assert(
      fc.property(fc.constantFrom(...schemas), value, (schema, input) => {
        expect(!getQuickCheck(schema)(input) || schema.safeParse(input).success).toBe(true);
      }),
    );
  });
});
