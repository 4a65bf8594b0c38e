/** Selecting fields of response bodies, and converting bodies to rows. */
import { describe, expect, it } from "vitest";
import { selectFields, toItems, toRows } from "../../src/render/select.ts";
import { UnknownFieldError } from "../../src/render/unknown-field.ts";

const page = {
  items: [
    { id: "a", title: "one", metadata: { gameVersion: "1.0", platform: "win" } },
    { id: "b", title: "two", metadata: { gameVersion: "1.1", platform: "mac", locale: "de" } },
  ],
  hasMore: false,
  total: 2,
};
const detail = { session: { id: "s", title: "one" }, insights: [{ id: "i", tag: "x:y" }] };
const builds = {
  game: { id: "g" },
  diff: { totals: { resolved: 1 }, changes: [{ tag: "a" }, { tag: "b" }] },
};

function failure(run: () => unknown): UnknownFieldError {
  try {
    run();
  } catch (error) {
    if (error instanceof UnknownFieldError) return error;
  }
  return expect.fail("it did not fail");
}

describe("selectFields", () => {
  it("selects from the items of a page, in the requested order", () => {
    const picked = selectFields(page, ["metadata.gameVersion", "id"]);
    expect(JSON.stringify(picked)).toBe(
      JSON.stringify({
        items: [
          { metadata: { gameVersion: "1.0" }, id: "a" },
          { metadata: { gameVersion: "1.1" }, id: "b" },
        ],
        hasMore: false,
        total: 2,
      }),
    );
  });

  it("returns null for a field that only other items have", () => {
    expect(selectFields(page, ["metadata.locale"])).toMatchObject({
      items: [{ metadata: { locale: null } }, { metadata: { locale: "de" } }],
    });
  });

  it("selects from a list in an object, and from the object itself", () => {
    expect(selectFields({ games: [{ id: "g", name: "n" }] }, ["name"])).toEqual({ games: [{ name: "n" }] });
    expect(selectFields(detail, ["tag"])).toEqual({ insights: [{ tag: "x:y" }] });
    expect(selectFields(detail, ["session.title", "insights.tag"])).toEqual({
      session: { title: "one" },
      insights: [{ tag: "x:y" }],
    });
    expect(selectFields({ ...detail, insights: [] }, ["session.title"])).toEqual({
      session: { title: "one" },
    });
    expect(selectFields(builds, ["diff.changes.tag", "diff.totals"])).toEqual({
      diff: { changes: [{ tag: "a" }, { tag: "b" }], totals: { resolved: 1 } },
    });
    expect(selectFields([{ a: 1, b: 2 }], ["b"])).toEqual([{ b: 2 }]);
  });

  it("accepts keys that contain dots", () => {
    const body = { event_counts: { "level.done": 3, level: { done: 4 } }, "a.b": 5 };
    expect(selectFields(body, ["event_counts.level.done", "a.b"])).toEqual({
      event_counts: { "level.done": 3 },
      "a.b": 5,
    });
  });

  it("lists the available fields if a field is unknown", () => {
    const error = failure(() => selectFields(page, ["id", "naem\x1b"]));
    expect(error.message).toBe('--fields: unknown field "naem\\x1b"');
    expect(error.hint).toBe(
      "Available: id, title, metadata.gameVersion, metadata.platform, metadata.locale, hasMore, total.",
    );
  });

  it.each([["id.x"], ["metadata.x"], ["__proto__"], ["constructor.name"], [""], ["."]])(
    "refuses %j",
    (field) => {
      expect(failure(() => selectFields(page, [field]))).toBeInstanceOf(UnknownFieldError);
    },
  );

  it("rejects any field if the body has none", () => {
    expect(failure(() => selectFields(3, ["a"])).hint).toBe("The answer has no fields.");
  });

  it("returns an empty list unchanged, and the whole body without fields", () => {
    const empty = { items: [], hasMore: false, total: 0 };
    expect(selectFields(empty, ["whatever"])).toEqual(empty);
    expect(selectFields(page, [])).toBe(page);
  });

  it("treats __proto__ like any other key", () => {
    const body: unknown = JSON.parse('{"items":[{"__proto__":{"a":1}}],"hasMore":false}');
    expect(JSON.stringify(selectFields(body, ["__proto__.a"]))).toBe(JSON.stringify(body));
    expect(toRows(body).columns.map((column) => column.key)).toEqual(["__proto__.a"]);
  });
});

describe("toRows", () => {
  const table = (body: unknown) => {
    const { rows, columns } = toRows(body);
    return [
      columns.map((column) => column.key),
      ...rows.map((row) => columns.map((column) => column.value(row))),
    ];
  };

  it("flattens the items of a page to dotted columns", () => {
    expect(table(page)).toEqual([
      ["id", "title", "metadata.gameVersion", "metadata.platform", "metadata.locale"],
      ["a", "one", "1.0", "win", null],
      ["b", "two", "1.1", "mac", "de"],
    ]);
  });

  it("uses the only list of an object, otherwise the object as one row", () => {
    expect(table(detail)).toEqual([
      ["id", "tag"],
      ["i", "x:y"],
    ]);
    expect(table(builds)).toEqual([
      ["game.id", "diff.totals.resolved", "diff.changes"],
      ["g", 1, '[{"tag":"a"},{"tag":"b"}]'],
    ]);
    expect(table({ a: [1], b: [2] })).toEqual([
      ["a", "b"],
      ["[1]", "[2]"],
    ]);
  });

  it("supports booleans, nulls, empty objects and items that are not objects", () => {
    expect(table({ a: true, b: null, c: {} })).toEqual([
      ["a", "b", "c"],
      ["true", null, "{}"],
    ]);
    expect(table({ top: [["jump", 3], "x", null] })).toEqual([["value"], ['["jump",3]'], ["x"], [null]]);
  });

  it("returns unchanged items for NDJSON", () => {
    expect(toItems(page)).toBe(page.items);
    expect(toItems(builds)).toEqual([builds]);
    expect(toItems({ items: [1], notes: [2], hasMore: false })).toEqual([1]);
    expect(toItems({ items: [1], notes: [2] })).toEqual([{ items: [1], notes: [2] }]);
    expect(toItems([1, 2])).toEqual([1, 2]);
  });
});
