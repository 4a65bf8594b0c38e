/** Where an export's rows go: the folder, the file or the stream, with the rules for text that the command line has. */
import { datasets } from "../../../export/datasets/index.ts";
import { Folder } from "../../../export/files/folder.ts";
import { openFile, openStream } from "../../../export/files/single.ts";
import type { TextRules } from "../../../export/formats/encoder.ts";
import type { Encoding } from "../../../export/formats/index.ts";
import type { Target } from "../../../export/run.ts";
import { csvRecords } from "../../../render/csv.ts";
import { escapeJson } from "../../../render/text.ts";
import { version } from "../../constants.generated.ts";
import type { Context } from "../../context.ts";
import type { Options } from "./options.ts";

type Cells = readonly (string | number | null)[];

const rules: TextRules = {
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
  { names, destination, format, gzip }: Options,
  about: { readonly service: string; readonly games: readonly string[] },
): Promise<Target> {
  const encoding: Encoding = { format, gzip, rules, tool: `playtest ${version}` };
  const now = () => io.now();
  if (destination.kind === "folder") return new Folder({ root: destination.path, encoding, ...about, now });
  const [name = "events"] = names;
  const options = { dataset: datasets[name], encoding, ...about, now };
  if (destination.kind === "file") return await openFile(destination.path, options);
  // Text stays text, so that whatever writes it out knows what it is.
  const binary = format === "parquet" || gzip;
  const sink = (bytes: Uint8Array) => io.out.write(binary ? bytes : Buffer.from(bytes).toString("utf8"));
  return await openStream(sink, options);
}
