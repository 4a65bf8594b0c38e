/** The types of exported columns. */
import { expect, test } from "vitest";
import { getDataset } from "../../src/export/datasets/index.ts";

test("all columns of feedback are texts, except for its time", () => {
  const types = getDataset("feedback").columns.map(({ name, type }) => [name, type]);
  expect(types.filter(([, type]) => type !== "string")).toEqual([["submittedAt", "timestamp"]]);
});
