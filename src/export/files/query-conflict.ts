/** Checks that a folder has no files of a different export. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { ExportError } from "../errors.ts";
import { describeDifferences, type ExportQuery } from "../query.ts";
import { MANIFEST_SUFFIX } from "./manifest.ts";
import { listFolder } from "./paths.ts";

const manifestSchema = z.object({
  format: z.string(),
  gzip: z.boolean(),
  query: z.object({ service: z.string(), environments: z.array(z.string()), by: z.string().nullable() }),
});

/**
 * Throws `conflict` if a game's folder of a dataset has files of a different query. Otherwise rows could be counted
 * twice, and files that this query has no rows for would be removed. All files of a folder have the same query, so
 * reading one manifest is enough.
 */
export async function assertSameQuery(folder: string, query: ExportQuery): Promise<void> {
  for (const name of (await listFolder(folder)).sort()) {
    if (!name.endsWith(MANIFEST_SUFFIX)) continue;
    const manifest = manifestSchema.safeParse(await readJson(join(folder, name))).data;
    if (manifest === undefined) continue;
    const { format, gzip } = manifest;
    const differences = describeDifferences<ExportQuery>({ ...manifest.query, format, gzip }, query);
    if (differences === "") return;
    throw new ExportError(
      "conflict",
      `${folder} has files of a different export: ${differences}`,
      "Set --out to another folder, or delete this one to export everything again. Nothing was changed.",
    );
  }
}

/** The JSON of a file; undefined if it cannot be read. */
async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}
