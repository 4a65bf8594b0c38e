/** The repository's file as a JSON Schema, for editors and for whoever checks it. */
import * as z from "zod";
import { gateConfig } from "./config.ts";

/** What the schema is called beside the file that it explains. */
export const REPO_SCHEMA_FILE = "playtest.config.schema.json";

const repoFile = z
  .strictObject({
    $schema: z.string().optional().describe("This schema, for your editor"),
    game: z.string().min(1).max(120).optional().describe("Game id or slug where none is named"),
    gate: gateConfig.optional().describe("Rules of `playtest gate`"),
  })
  .describe("playtest.config.json: settings that a repository may share");

/** The schema of playtest.config.json. */
export function repoFileSchema(): Record<string, unknown> {
  return z.toJSONSchema(repoFile) as Record<string, unknown>;
}
