/** The `ingest` commands. */
import { ingestCsvCommand } from "./csv.ts";
import { ingestDiscordCommand } from "./discord.ts";
import { ingestTelemetryCommand } from "./telemetry.ts";

export const commands = [ingestTelemetryCommand, ingestCsvCommand, ingestDiscordCommand];
