/** The JSON Schemas of the files that people and programs keep: the repository's settings, and the verdict of a gate. */
import * as z from "zod";
import { REPO_SCHEMA_FILE, repoFileSchema } from "../src/gate/schema.ts";
import { gateVerdict } from "../src/gate/verdict.ts";

/** Path -> content. The settings' schema is shipped with the program, so that an editor finds it. */
export function schemaFiles(): Record<string, string> {
  // As it is read: a later version may add fields, which no reader should refuse.
  const verdict = z.toJSONSchema(gateVerdict.describe("The verdict of `playtest gate`"), { io: "input" });
  return {
    [`schemas/${REPO_SCHEMA_FILE}`]: document(repoFileSchema()),
    "docs/schemas/gate-verdict.schema.json": document(verdict),
  };
}

const document = (schema: object) => `${JSON.stringify(schema, null, 2)}\n`;
