/** Opens the destination of an export: a folder, a file or standard output. */
import { getDataset } from "../../../export/datasets/index.ts";
import { FolderTarget } from "../../../export/files/folder-target.ts";
import { openFileTarget, openStreamTarget } from "../../../export/files/single-file-target.ts";
import type { TextSanitizer } from "../../../export/formats/encoder.ts";
import type { Encoding } from "../../../export/formats/index.ts";
import type { ExportTarget } from "../../../export/run.ts";
import { csvJsonCell, csvTextCell } from "../../../render/csv.ts";
import { escapeJson } from "../../../render/text.ts";
import { version } from "../../../shared/version.prepared.ts";
import type { Context } from "../../context.ts";
import type { ExportOptions } from "./options.ts";

/** The same rules as for the output of all other commands. */
const sanitizer: TextSanitizer = { csvText: csvTextCell, csvJson: csvJsonCell, json: escapeJson };

export async function openTarget(
  { io }: Context,
  { names, destination, format, gzip }: ExportOptions,
  source: { readonly service: string; readonly games: readonly string[] },
): Promise<ExportTarget> {
  const encoding: Encoding = { format, gzip, sanitizer, tool: `playtest ${version}` };
  const now = () => io.now();
  if (destination.kind === "folder")
    return new FolderTarget({ root: destination.path, encoding, ...source, now });
  const [name = "events"] = names;
  const options = { dataset: getDataset(name), encoding, ...source, now };
  if (destination.kind === "file") return await openFileTarget(destination.path, options);
  // Text is written as a string, because the stream treats strings and bytes differently.
  const binary = format === "parquet" || gzip;
  const sink = (bytes: Uint8Array) => io.out.write(binary ? bytes : Buffer.from(bytes).toString("utf8"));
  return await openStreamTarget(sink, options);
}
