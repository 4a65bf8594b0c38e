/** ingest telemetry: sends recorded telemetry to the service. Events that are sent again are not stored twice. */

import { createClient } from "../../../client/client.ts";
import * as telemetry from "../../../contract/telemetry.ts";
import { command } from "../../command.ts";
import { fail } from "../../errors.ts";
import { toggle } from "../../flags.ts";
import { openBookmark } from "../../telemetry-files/bookmarks.ts";
import { describeUnsent, type FileReport, toResult } from "../../telemetry-files/report.ts";
import { sendFile } from "../../telemetry-files/send.ts";
import { translateError } from "../../translate-error.ts";

export const ingestTelemetryCommand = command({
  path: "ingest telemetry",
  summary: "Send recorded telemetry from NDJSON files, plain or gzip",
  details:
    "Each line is the body of one POST /api/telemetry request. Sending a file twice stores its events only " +
    "once. An interrupted run continues where it stopped. A line with neither sessionId nor clientSessionId " +
    "becomes its own session, with an id derived from its content. Exit code 12 means that some lines or " +
    "events were rejected; all others are stored. The run stops at a game that does not exist; earlier lines " +
    "are stored. Requires an ingest key: set PLAYTEST_INGEST_KEY or run " +
    "`playtest login --ingest`.",
  args: [{ name: "<file...>", describe: "files to send, or - for standard input" }],
  flags: {
    restart: toggle("--restart", "send each file from the start, ignoring the progress of earlier runs"),
  },
  examples: ["ingest telemetry play.ndjson.gz", "ingest telemetry - < play.ndjson"],
  async run(context, { args, flags }) {
    const { io, settings } = context;
    if (settings.flags.game !== undefined) {
      throw fail("usage", {
        message: `--game ${settings.flags.game} cannot be used with this command`,
        hint: "Set gameId in each line, or use an ingest key that is limited to one game.",
      });
    }
    const options = await context.clientOptions({ key: "ingest", keepAlive: true });
    // Large imports exceed the rate limit, so by default there is no maximum wait.
    const maxWaitMs =
      settings.maxWaitMs.source === "default" ? Number.POSITIVE_INFINITY : settings.maxWaitMs.value;
    const client = createClient({ sendTelemetry: telemetry.sendTelemetry }, { ...options, maxWaitMs });
    const store = (body: unknown) => client.sendTelemetry({ body: body as telemetry.TelemetryEnvelope });
    const files: FileReport[] = [];
    for (const file of args) {
      const { stateDir, cwd } = io;
      const bookmark = await openBookmark(file, {
        stateDir,
        cwd,
        target: options.baseUrl,
        restart: flags.restart,
      });
      if (bookmark.line > 0)
        await context.notify(`${file}: continuing after line ${bookmark.line} (use --restart to start over)`);
      try {
        files.push(await sendFile(file, context, store, bookmark));
      } catch (error) {
        if (args.length > 1 && translateError(error) !== null)
          await context.notify(describeUnsent(args, files.length));
        throw error;
      }
    }
    return toResult(files);
  },
});
