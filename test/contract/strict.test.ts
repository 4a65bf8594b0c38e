/** Strict and lenient forms of response schemas. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { extensionField, openEnum, orNull, page } from "../../src/contract/fields.ts";
import { endpoints } from "../../src/contract/index.ts";
import { toStrict } from "../../src/contract/strict.ts";

const schema = z.object({
  id: z.string(),
  kind: openEnum(["one", "two"]),
  note: orNull(z.string()),
  more: extensionField(z.number()),
  both: extensionField(orNull(z.string())),
  own: z.string().optional(),
  loose: z.looseObject({ known: z.string() }),
  list: z.array(z.object({ name: z.string(), note: orNull(z.string()) })),
});
const whole = {
  id: "a",
  kind: "one",
  note: null,
  more: 1,
  both: null,
  loose: { known: "x", other: 1 },
  list: [{ name: "n", note: "x" }],
};

const accepts = (changed: object) => {
  const value = { ...whole, ...changed };
  return [toStrict(schema).safeParse(value).success, schema.safeParse(value).success];
};

describe("a schema", () => {
  it.each<[string, object, boolean, boolean]>([
    ["all that is promised", {}, true, true],
    ["an optional field", { own: "x" }, true, true],
    ["an unknown field", { other: 1 }, false, true],
    ["an unknown field deep inside", { list: [{ name: "n", note: null, other: 1 }] }, false, true],
    ["an unknown enum value", { kind: "three" }, false, true],
    ["a missing nullable field", { note: undefined }, false, true],
    ["a missing nullable field deep inside", { list: [{ name: "n" }] }, false, true],
    ["a missing added field", { more: undefined }, false, true],
    ["a missing added nullable field", { both: undefined }, false, true],
    ["null for an added field", { more: null }, false, true],
    ["a missing promised field", { id: undefined }, false, false],
    ["a promised field of another type", { id: 5 }, false, false],
    ["a known field of an open object missing", { loose: {} }, false, false],
  ])("with %s", (_, changed, service, client) => {
    expect(accepts(changed)).toEqual([service, client]);
  });

  it("is converted only once", () => expect(toStrict(schema)).toBe(toStrict(schema)));
});

it("the strict form of a page has strict items", () => {
  const items = page(z.object({ id: z.string() }));
  expect(toStrict(items).safeParse({ items: [{ id: "a" }], hasMore: false, total: 1 }).success).toBe(true);
  expect(
    toStrict(items).safeParse({ items: [{ id: "a", other: 1 }], hasMore: false, total: 1 }).success,
  ).toBe(false);
});

describe.each(Object.entries(endpoints))("%s", (_, endpoint) => {
  it("has an object as its response, whose strict form is closed", () => {
    const made = toStrict(endpoint.response);
    expect(made).toBeInstanceOf(z.ZodObject);
    const result = made.safeParse({ surprise: 1 });
    expect(result.error?.issues.some(({ code }) => code === "unrecognized_keys")).toBe(true);
  });
});
