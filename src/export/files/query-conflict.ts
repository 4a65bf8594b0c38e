/** Checks that a folder has no files of a different export. */
import { readFile } from "node:fs/promises";
import * as z from "zod";
import type { TimeSpan } from "../../shared/calendar.ts";
import { ExportError } from "../errors.ts";
import { describeDifferences, type ExportQuery } from "../query.ts";

const manifestSchema = z.object({
  format: z.string(),
  gzip: z.boolean(),
  query: z.object({ service: z.string(), environments: z.array(z.string()), by: z.string().nullable() }),
});

const timeSchema = z.object({
  query: z.object({ time: z.string().nullable(), from: z.int().nullable() }),
});

/**
 * Throws `conflict` if a game's folder of a dataset has files of a different query. Otherwise rows could be counted
 * twice, and files that this query has no rows for would be removed. All files of a folder have the same query, so
 * reading one manifest is enough.
 */
export async function assertSameQuery(
  folder: string,
  manifests: readonly string[],
  query: ExportQuery,
): Promise<void> {
  for (const path of manifests) {
    const manifest = manifestSchema.safeParse(await readJson(path)).data;
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

/**
 * Throws `conflict` if a folder has files whose rows were assigned to them by another time, unless this run replaces or
 * removes them all: rows would be in two files.
 */
export async function assertSameTime(
  folder: string,
  manifests: readonly string[],
  { time, replaced }: { readonly time: string; readonly replaced: TimeSpan },
): Promise<void> {
  const read = await Promise.all(manifests.map((path) => readJson(path)));
  for (const { query } of read.flatMap((manifest) => timeSchema.safeParse(manifest).data ?? [])) {
    const { time: other } = query;
    const from = query.from ?? 0;
    if (other === null || other === time || (from >= replaced.from && from <= replaced.to)) continue;
    throw new ExportError(
      "conflict",
      `${folder} has files of a different export: they were split by ${other}, and are now split by ${time}`,
      "Set --out to another folder, or replace all files: export with --since-last, or without --from and --to. Nothing was changed.",
    );
  }
}

/** The JSON of a file; undefined if it cannot be read. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}
