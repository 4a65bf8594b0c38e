/** The commands that send play to the service. */
import { ingestTelemetryCommand } from "./telemetry.ts";

export const commands = [ingestTelemetryCommand];
