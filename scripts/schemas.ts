/** Generates the JSON Schemas of the repository's settings, of the maps for CSV files and of the gate's verdict. */
import * as z from "zod";
import { CSV_MAP_SCHEMA_FILE, csvMapSchema } from "../src/cli/csv-files/map.ts";
import { gateError } from "../src/gate/gate-error.ts";
import { REPO_SCHEMA_FILE, repoFileSchema } from "../src/gate/schema.ts";
import { gateDocument } from "../src/gate/verdict.ts";

/** Maps paths to contents. The schemas of files that people write are shipped with the program, so that editors can use them. */
export function schemaFiles(): Record<string, string> {
  // Use the input form, which allows unknown fields: later versions may add some.
  const verdict = z.toJSONSchema(gateDocument.describe("The verdict of `playtest gate`"), { io: "input" });
  const error = gateError.describe("The JSON report of `playtest gate` if it ended with an error");
  return {
    [`schemas/${REPO_SCHEMA_FILE}`]: document(repoFileSchema()),
    [`schemas/${CSV_MAP_SCHEMA_FILE}`]: document(csvMapSchema()),
    "docs/schemas/gate-verdict.schema.json": document(verdict),
    "docs/schemas/gate-error.schema.json": document(z.toJSONSchema(error, { io: "input" })),
  };
}

const document = (schema: object) => `${JSON.stringify(schema, null, 2)}\n`;
