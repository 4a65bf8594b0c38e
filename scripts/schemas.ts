/** Generates the JSON Schemas of the repository's settings and of the gate's verdict. */
import * as z from "zod";
import { gateError } from "../src/gate/gate-error.ts";
import { REPO_SCHEMA_FILE, repoFileSchema } from "../src/gate/schema.ts";
import { gateVerdict } from "../src/gate/verdict.ts";

/** Maps paths to contents. The schema of the settings is shipped with the program, so that editors can use it. */
export function schemaFiles(): Record<string, string> {
  // Use the input form, which allows unknown fields: later versions may add some.
  const verdict = z.toJSONSchema(gateVerdict.describe("The verdict of `playtest gate`"), { io: "input" });
  const error = gateError.describe("The JSON report of `playtest gate` if it ended with an error");
  return {
    [`schemas/${REPO_SCHEMA_FILE}`]: document(repoFileSchema()),
    "docs/schemas/gate-verdict.schema.json": document(verdict),
    "docs/schemas/gate-error.schema.json": document(z.toJSONSchema(error, { io: "input" })),
  };
}

const document = (schema: object) => `${JSON.stringify(schema, null, 2)}\n`;
