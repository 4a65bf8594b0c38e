/** ingest csv: sends the rows of CSV files from other analytics services as telemetry. */
import { createClient } from "../../../client/client.ts";
import * as telemetry from "../../../contract/telemetry.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { PRESET_NAMES } from "../../csv-files/map.ts";
import { openImport, readMaps } from "../../csv-files/open.ts";
import { type Preview, previewImport, toPreviewResult } from "../../csv-files/preview.ts";
import { buildImportRequests } from "../../csv-files/requests.ts";
import { fail } from "../../errors.ts";
import { text, toggle } from "../../flags.ts";
import { openBookmark } from "../../telemetry-files/bookmarks.ts";
import { requireReadable } from "../../telemetry-files/lines.ts";
import { describeUnsent, type FileReport, toResult } from "../../telemetry-files/report.ts";
import { sendRequests } from "../../telemetry-files/send.ts";
import { translateError } from "../../translate-error.ts";

type Maps = ReturnType<typeof readMaps>;

async function preview(files: readonly string[], maps: Maps, context: Context) {
  const previews: Preview[] = [];
  for (const file of files) previews.push(await previewImport(await openImport(file, maps, context.io)));
  return toPreviewResult(previews);
}

async function send(files: readonly string[], maps: Maps, restart: boolean, context: Context) {
  const { io, settings } = context;
  const options = await context.clientOptions({ key: "ingest", keepAlive: true });
  // Large imports exceed the rate limit, so by default there is no maximum wait.
  const maxWaitMs =
    settings.maxWaitMs.source === "default" ? Number.POSITIVE_INFINITY : settings.maxWaitMs.value;
  const client = createClient({ sendTelemetry: telemetry.sendTelemetry }, { ...options, maxWaitMs });
  const store = (body: unknown) => client.sendTelemetry({ body: body as telemetry.TelemetryEnvelope });
  const game = (await context.findGame())?.value;
  const reports: FileReport[] = [];
  const sendOne = async (file: string) => {
    const { rows, map, sessions } = await openImport(file, maps, io);
    const variant = JSON.stringify([game ?? null, map]);
    const { stateDir, cwd } = io;
    const bookmark = await openBookmark(file, { stateDir, cwd, target: options.baseUrl, restart, variant });
    if (bookmark.line > 0)
      await context.notify(`${file}: continuing after line ${bookmark.line} (use --restart to start over)`);
    const target = { game, source: map.source, afterLine: bookmark.line };
    return await sendRequests(file, context, store, bookmark, buildImportRequests(rows, sessions, target));
  };
  for (const file of files) {
    try {
      reports.push(await sendOne(file));
    } catch (error) {
      if (files.length > 1 && translateError(error) !== null)
        await context.notify(describeUnsent(files, reports.length));
      throw error;
    }
  }
  return toResult(reports);
}

export const ingestCsvCommand = command({
  path: "ingest csv",
  summary: "Send the rows of CSV or TSV files from other analytics services",
  details:
    "Each row is one event. The map says which columns contain the session, the name, the time and the data: a " +
    `preset (${PRESET_NAMES.join(", ")}) or a JSON file. Start with --dry-run, which needs no service. Sending a ` +
    "file twice stores its events only once. An interrupted run continues where it stopped. Exit code 12 means that " +
    "some rows were rejected; all others are stored. The game can be omitted if the ingest key is limited to one. " +
    "Requires an ingest key: set PLAYTEST_INGEST_KEY or run `playtest login --ingest`.",
  args: [{ name: "<file...>", describe: "files to send, plain or gzip, or - for standard input" }],
  flags: {
    map: text("--map <preset|file>", "preset or map file (required)"),
    dryRun: toggle("--dry-run", "show what would be stored and rejected, and send nothing"),
    restart: toggle("--restart", "send each file from the start, ignoring the progress of earlier runs"),
  },
  examples: [
    "ingest csv events.tsv --map opengamedata --dry-run",
    "ingest csv events.csv.gz --map map.json --game ember",
  ],
  async run(context, { args, flags }) {
    if (flags.map === undefined) {
      const hint = `Use a preset (${PRESET_NAMES.join(", ")}) or the path of a map.`;
      throw fail("usage", { message: "--map is required", hint });
    }
    const maps = readMaps(flags.map, context.io);
    await requireReadable(args, context.io);
    return flags.dryRun ? await preview(args, maps, context) : await send(args, maps, flags.restart, context);
  },
});
