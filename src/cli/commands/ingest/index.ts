/** The commands that send. */
import { ingestDiscordCommand } from "./discord.ts";
import { ingestTelemetryCommand } from "./telemetry.ts";

export const commands = [ingestTelemetryCommand, ingestDiscordCommand];
