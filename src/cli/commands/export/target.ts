/** Where an export's rows go: the folder, the file or the stream, with the rules for text that the command line has. */
import { datasets } from "../../../export/datasets/index.ts";
import { FolderTarget } from "../../../export/files/folder-target.ts";
import { openFileTarget, openStreamTarget } from "../../../export/files/single-file-target.ts";
import type { TextSanitizer } from "../../../export/formats/encoder.ts";
import type { Encoding } from "../../../export/formats/index.ts";
import type { ExportTarget } from "../../../export/run.ts";
import { csvRecords } from "../../../render/csv.ts";
import { escapeJson } from "../../../render/text.ts";
import { version } from "../../constants.generated.ts";
import type { Context } from "../../context.ts";
import type { ExportOptions } from "./options.ts";

type Cells = readonly (string | number | null)[];

const rules: TextSanitizer = {
  csv(records: readonly Cells[]) {
    const columns = (records[0] ?? []).map((_, at) => ({
      key: "",
      header: "",
      value: (cells: Cells) => cells[at] ?? null,
    }));
    return csvRecords(records, columns, ",");
  },
  json: escapeJson,
};

/** Opens what the options name. */
export async function openTarget(
  { io }: Context,
  { names, destination, format, gzip }: ExportOptions,
  about: { readonly service: string; readonly games: readonly string[] },
): Promise<ExportTarget> {
  const encoding: Encoding = { format, gzip, sanitizer: rules, tool: `playtest ${version}` };
  const now = () => io.now();
  if (destination.kind === "folder")
    return new FolderTarget({ root: destination.path, encoding, ...about, now });
  const [name = "events"] = names;
  const options = { dataset: datasets[name], encoding, ...about, now };
  if (destination.kind === "file") return await openFileTarget(destination.path, options);
  // Text stays text, so that whatever writes it out knows what it is.
  const binary = format === "parquet" || gzip;
  const sink = (bytes: Uint8Array) => io.out.write(binary ? bytes : Buffer.from(bytes).toString("utf8"));
  return await openStreamTarget(sink, options);
}
