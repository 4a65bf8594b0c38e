/** The `ingest` commands. */
import { ingestDiscordCommand } from "./discord.ts";
import { ingestTelemetryCommand } from "./telemetry.ts";

export const commands = [ingestTelemetryCommand, ingestDiscordCommand];
