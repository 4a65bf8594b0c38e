/** ingest telemetry: sends recorded play to the service, each event stored once however often it is sent. */

import { createClient } from "../../../client/client.ts";
import * as telemetry from "../../../contract/telemetry.ts";
import { command } from "../../command.ts";
import { fail } from "../../errors.ts";
import { toggle } from "../../flags.ts";
import { openBookmark } from "../../telemetry-files/bookmarks.ts";
import { type FileReport, toResult } from "../../telemetry-files/report.ts";
import { sendFile } from "../../telemetry-files/send.ts";

export const ingestTelemetryCommand = command({
  path: "ingest telemetry",
  summary: "Send recorded telemetry from NDJSON files, plain or gzip",
  details:
    "Each line is the body of one POST /api/telemetry request. Sending a file twice stores its events only " +
    "once. An interrupted run continues where it stopped. A line without sessionId and clientSessionId " +
    "becomes its own session, with an id derived from its content. Exit code 12 means that some lines or " +
    "events were rejected; all others are stored. Requires an ingest key: set PLAYTEST_INGEST_KEY or run " +
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
        message: `--game ${settings.flags.game} has no effect here`,
        hint: "Every line names its own game, in gameId; an ingest key of one game needs none.",
      });
    }
    const options = await context.clientOptions({ key: "ingest", keepAlive: true });
    const patient =
      settings.maxWaitMs.source === "default" ? { ...options, maxWaitMs: Number.POSITIVE_INFINITY } : options;
    const client = createClient({ sendTelemetry: telemetry.sendTelemetry }, patient);
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
        await context.notify(`${file}: going on after line ${bookmark.line} (--restart begins anew)`);
      files.push(await sendFile(file, context, store, bookmark));
    }
    return toResult(files);
  },
});
