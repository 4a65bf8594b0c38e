/** The JSON Schema of playtest.config.json, for editors and validators. */
import * as z from "zod";
import { gateConfig } from "./config.ts";

/** The file name of the schema, in the same folder as playtest.config.json. */
export const REPO_SCHEMA_FILE = "playtest.config.schema.json";

const repoFile = z
  .strictObject({
    $schema: z.string().optional().describe("Path or URL of this schema, for your editor"),
    game: z.string().min(1).max(120).optional().describe("Default game (id or slug)"),
    gate: gateConfig.optional().describe("Rules for `playtest gate`"),
  })
  .describe("playtest.config.json: settings shared by everyone who works in a repository");

/** The schema of playtest.config.json. */
export function repoFileSchema(): Record<string, unknown> {
  return z.toJSONSchema(repoFile) as Record<string, unknown>;
}
