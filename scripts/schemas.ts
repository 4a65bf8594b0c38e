/** Generates the JSON Schemas of the repository's settings and of the gate's verdict. */
import * as z from "zod";
import { REPO_SCHEMA_FILE, repoFileSchema } from "../src/gate/schema.ts";
import { gateVerdict } from "../src/gate/verdict.ts";

/** Maps paths to contents. The schema of the settings is shipped with the program, so that editors can use it. */
export function schemaFiles(): Record<string, string> {
  // Use the input form, which allows unknown fields: later versions may add some.
  const verdict = z.toJSONSchema(gateVerdict.describe("The verdict of `playtest gate`"), { io: "input" });
  return {
    [`schemas/${REPO_SCHEMA_FILE}`]: document(repoFileSchema()),
    "docs/schemas/gate-verdict.schema.json": document(verdict),
  };
}

const document = (schema: object) => `${JSON.stringify(schema, null, 2)}\n`;
