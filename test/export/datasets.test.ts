/** The types of exported columns. */
import { expect, test } from "vitest";
import { datasets } from "../../src/export/datasets/index.ts";

test("all columns of feedback are texts, except for its time", () => {
  const types = datasets.feedback.columns.map(({ name, type }) => [name, type]);
  expect(types.filter(([, type]) => type !== "string")).toEqual([["submittedAt", "timestamp"]]);
});
