/** The `ingest` commands: recorded telemetry, CSV files and chat threads. */
import { createClient } from "../../../client/client.ts";
import { ClientError } from "../../../client/errors.ts";
import * as telemetry from "../../../contract/telemetry.ts";
import * as webhooks from "../../../contract/webhooks.ts";
import { renderDetails } from "../../../render/details.ts";
import { formatName } from "../../../shared/similar-names.ts";
import { command, type Result } from "../../command.ts";
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
import { sendFile, sendRequests } from "../../telemetry-files/send.ts";
import { translateError } from "../../translate-error.ts";

/** The service that stores telemetry. Large files exceed its rate limit, so by default there is no maximum wait. */
async function openService(context: Context) {
  const options = await context.clientOptions({ key: "ingest", keepAlive: true });
  const { source, value } = context.settings.maxWaitMs;
  const maxWaitMs = source === "default" ? Number.POSITIVE_INFINITY : value;
  const client = createClient({ sendTelemetry: telemetry.sendTelemetry }, { ...options, maxWaitMs });
  const store = (body: unknown) => client.sendTelemetry({ body: body as telemetry.TelemetryEnvelope });
  return { baseUrl: options.baseUrl, store };
}

/** Opens the bookmark of a file, where an earlier run stopped. */
async function resume(
  context: Context,
  file: string,
  options: { readonly target: string; readonly restart: boolean; readonly variant?: string },
) {
  const { stateDir, cwd } = context.io;
  const bookmark = await openBookmark(file, { stateDir, cwd, ...options });
  if (bookmark.line > 0)
    await context.notify(`${file}: continuing after line ${bookmark.line} (use --restart to start over)`);
  return bookmark;
}

/** Adds the report of the next file. If it cannot be sent, says which files were not. */
async function sendNext(
  context: Context,
  files: readonly string[],
  reports: FileReport[],
  send: () => Promise<FileReport>,
): Promise<void> {
  try {
    reports.push(await send());
  } catch (error) {
    if (files.length > 1 && translateError(error) !== null)
      await context.notify(describeUnsent(files, reports.length));
    throw error;
  }
}

const ingestTelemetryCommand = command({
  path: "ingest telemetry",
  summary: "Send recorded telemetry from NDJSON files, plain or gzip",
  details:
    "Each line is the body of one POST /api/telemetry request. Sending a file twice stores its events only " +
    "once. An interrupted run continues where it stopped. A line with neither sessionId nor clientSessionId " +
    "becomes its own session, with an id derived from its content. Exit code 12 means that some lines or " +
    "events were rejected; all others are stored. The run stops at a game that does not exist; earlier lines " +
    "are stored. --game is the game of lines without a gameId. Requires an ingest key: set PLAYTEST_INGEST_KEY or run " +
    "`playtest login --ingest`.",
  args: [{ name: "<file...>", describe: "files to send, or - for standard input" }],
  flags: {
    restart: toggle("--restart", "send each file from the start, ignoring the progress of earlier runs"),
  },
  examples: ["ingest telemetry play.ndjson.gz", "ingest telemetry - < play.ndjson"],
  resumes: true,
  async run(context, { args, flags }) {
    const { game } = context.settings.flags;
    const service = await openService(context);
    const reports: FileReport[] = [];
    for (const file of args) {
      const bookmark = await resume(context, file, {
        ...{ target: service.baseUrl, restart: flags.restart },
        ...(game === undefined ? {} : { variant: JSON.stringify([game]) }),
      });
      await sendNext(context, args, reports, () =>
        sendFile(file, context, service.store, bookmark, { game }),
      );
    }
    return toResult(reports);
  },
});

type Maps = ReturnType<typeof readMaps>;

async function previewFiles(files: readonly string[], maps: Maps, context: Context): Promise<Result> {
  const previews: Preview[] = [];
  for (const file of files) previews.push(await previewImport(await openImport(file, maps, context.io)));
  return toPreviewResult(previews);
}

async function sendCsvFiles(
  files: readonly string[],
  maps: Maps,
  restart: boolean,
  context: Context,
): Promise<Result> {
  const { baseUrl, store } = await openService(context);
  const game = (await context.findGame())?.value;
  const reports: FileReport[] = [];
  for (const file of files)
    await sendNext(context, files, reports, async () => {
      const { rows, map, sessions } = await openImport(file, maps, context.io);
      const variant = JSON.stringify([game ?? null, map]);
      const bookmark = await resume(context, file, { target: baseUrl, restart, variant });
      const target = { game, source: map.source, afterLine: bookmark.line };
      return await sendRequests(file, context, store, bookmark, buildImportRequests(rows, sessions, target));
    });
  return toResult(reports);
}

const ingestCsvCommand = command({
  path: "ingest csv",
  summary: "Send the rows of CSV or TSV files from other analytics services",
  details:
    "Each row is one event. The map says which columns contain the session, the name, the time and the data: a " +
    `preset (${PRESET_NAMES.join(", ")}) or a JSON file. All presets but opengamedata are examples. Start with --dry-run, which needs no service. Sending a ` +
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
  resumes: true,
  async run(context, { args, flags }) {
    if (flags.map === undefined) {
      const hint = `Use a preset (${PRESET_NAMES.join(", ")}) or the path of a map.`;
      throw fail("usage", { message: "--map is required", hint });
    }
    const maps = readMaps(flags.map, context.io);
    await requireReadable(args, context.io);
    return flags.dryRun
      ? await previewFiles(args, maps, context)
      : await sendCsvFiles(args, maps, flags.restart, context);
  },
});

/** The webhook returns 400, not 404, for a game that it cannot find. */
const isUnknownGame = (error: unknown): error is ClientError =>
  error instanceof ClientError && error.code === "bad_request" && error.message === "unknown game";

function unknownGameError(game: string, cause: ClientError): Error {
  return fail("bad_request", {
    message: `No game ${formatName(game)}`,
    hint: "Run `playtest games list` to see the games this key can read.",
    requestId: cause.requestId,
    cause,
  });
}

const ingestDiscordCommand = command({
  path: "ingest discord",
  summary: "Open a session for a chat thread, or extend the open one",
  details:
    "A call within 30 minutes of the previous call for the same channel and thread extends the same session. " +
    "The request is sent once and is not retried. Requires a management key.",
  flags: {
    channel: text("--channel <id>", "channel id (required)"),
    thread: text("--thread <id>", "thread id (default: the channel itself)"),
  },
  examples: ["ingest discord --game ember --channel 1187 --thread 2290"],
  async run(context, { flags: { channel, thread } }) {
    if (channel === undefined) {
      throw fail("usage", { message: "--channel is required", hint: "Add --channel <id>." });
    }
    const client = await context.client(webhooks);
    const game = await context.requireGame();
    const body = { channel_id: channel, game, ...(thread === undefined ? {} : { thread_id: thread }) };
    const data = await client.ingestDiscordThread({ body }).catch((error: unknown) => {
      throw isUnknownGame(error) ? unknownGameError(game, error) : error;
    });
    return {
      data,
      view: (options) =>
        renderDetails(
          [
            ["Session", data.sessionsCreated > 0 ? "opened" : "extended (it was already open)", "good"],
            ["Messages", data.messagesIngested],
          ],
          options,
        ),
    };
  },
});

export const commands = [ingestTelemetryCommand, ingestCsvCommand, ingestDiscordCommand];
