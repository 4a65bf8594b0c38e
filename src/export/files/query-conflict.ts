/** What the manifests of a folder tell of the export that wrote it: another one must not write there. */
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
 * Throws `conflict` where a game's folder of a dataset holds files of another query: rows of both would be counted twice,
 * and files that this one has no rows for would be removed. All files there are of one query, so one manifest tells.
 */
export async function assertSameQuery(folder: string, query: ExportQuery): Promise<void> {
  for (const name of (await listFolder(folder)).sort()) {
    if (!name.endsWith(MANIFEST_SUFFIX)) continue;
    const found = manifestSchema.safeParse(await readJson(join(folder, name))).data;
    if (found === undefined) continue;
    const { format, gzip } = found;
    const told = describeDifferences<ExportQuery>({ ...found.query, format, gzip }, query);
    if (told === "") return;
    throw new ExportError(
      "conflict",
      `${folder} holds files of another export: ${told}`,
      "Name another folder with --out, or remove that one to export it anew. Nothing was changed.",
    );
  }
}

/** A manifest's content; undefined where it cannot be read. */
async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}
