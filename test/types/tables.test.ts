/** Types of tables: `npm run typecheck` is what fails here. */
import { expectTypeOf, test } from "vitest";
import type { SessionStatus } from "../../src/contract/sessions.ts";
import type { Schema, SessionRow } from "../../src/server/db/schema.ts";
import { Column, defineTable, integer, type RowOf, text } from "../../src/server/db/tables/define.ts";
import type { TableName } from "../../src/server/db/tables.ts";

const notes = defineTable({
  key: ["id"],
  place: "coordinator",
  erasure: "clear",
  personal: { purpose: "How testers feel.", kept: "erasure" },
  archived: false,
  columns: {
    id: integer("studio"),
    mood: text("tester").as<"glad" | "sad">().nullable().finds("handle"),
  },
});

test("the rows of a table have the types of its columns", () => {
  expectTypeOf<RowOf<typeof notes>>().toEqualTypeOf<{ id: number; mood: "glad" | "sad" | null }>();
  expectTypeOf<SessionRow["status"]>().toEqualTypeOf<SessionStatus>();
  expectTypeOf<SessionRow["received_at"]>().toEqualTypeOf<number | null>();
  expectTypeOf<"rate_limits">().toExtend<keyof Schema>();
  expectTypeOf<"rate_limits">().not.toExtend<TableName>();
  expectTypeOf<"sessions">().toExtend<TableName>();
});

test("a column that nobody classified does not compile", () => {
  // @ts-expect-error It is missing whose data the column contains.
  text();
  // @ts-expect-error There is no such owner.
  text("nobody");
  // @ts-expect-error It is missing whose data the column contains.
  new Column({ type: "text" });
  const table = { key: ["id"], place: "coordinator", erasure: "keep" } as const;
  // @ts-expect-error A type is not a column.
  defineTable({ ...table, columns: { id: integer("studio"), name: "text" } });
});

test("a table whose treatment is not said, or does not fit its columns, does not compile", () => {
  const id = integer("studio");
  const columns = { id, handle: text("tester") };
  const table = { key: ["id"], place: "coordinator" } as const;
  const personal = { purpose: "How testers are called.", kept: "erasure" } as const;
  // @ts-expect-error It is missing what an erasure does.
  defineTable({ ...table, columns: { id } });
  // @ts-expect-error It is missing where a cluster keeps it.
  defineTable({ key: ["id"], erasure: "keep", columns: { id } });
  // @ts-expect-error What a tester sent must not be kept.
  defineTable({ ...table, erasure: "keep", personal, columns });
  // @ts-expect-error It is missing why the data of testers is stored, and for how long.
  defineTable({ ...table, erasure: "delete", columns });
  // @ts-expect-error A time is missing its limit.
  defineTable({ ...table, erasure: "delete", personal: { ...personal, kept: "a while" }, columns });
  // @ts-expect-error The key has an unknown column.
  defineTable({ ...table, key: ["name"], erasure: "keep", columns: { id } });
});
