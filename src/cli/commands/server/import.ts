/** server import: telemetry files into the local database. */
import { command } from "../../command.ts";
import { toggle } from "../../flags.ts";
import { resultOf } from "../../telemetry-files/report.ts";
import { importFiles } from "./import-files.ts";
import { databaseFlags, openLocal } from "./local.ts";

export const importCommand = command({
  path: "server import",
  summary: "Ingest telemetry files straight into the local database, and analyse them",
  details:
    "The files are as `playtest ingest telemetry` takes them. A server may be running on the database.",
  args: [{ name: "<file...>", describe: "files, or - for standard input" }],
  flags: { ...databaseFlags, createGames: toggle("--create-games", "make games that do not exist") },
  examples: ["server import play.ndjson.gz --create-games"],
  async run(context, { args, flags }) {
    const local = await openLocal(context, flags);
    try {
      const reports = await importFiles(context, local, args, flags.createGames);
      await context.progress("Analysing");
      await local.analysis.settle();
      return resultOf(reports);
    } finally {
      await local.stop();
    }
  },
});
