/** The build and platform of a session whose metadata contains neither, from the data of its `session_start` event. */
import { UNKNOWN_BUILD, UNKNOWN_PLATFORM } from "../../contract/fields.ts";
import { metadataFields } from "../../contract/telemetry.ts";
import { EVENTS } from "../../shared/event-names.ts";
import type { TelemetryEvent } from "./events.ts";

/** The names under which SDKs send the version of the game, most specific first. */
const VERSION_FIELDS = ["gameVersion", "buildVersion", "appVersion", "version"];

/** Reads the build and platform from the events that create a session; `unknown` if they do not contain them. */
export function readStartMetadata(events: readonly TelemetryEvent[]) {
  const data = events.find(({ name }) => name === EVENTS.start)?.data ?? {};
  const read = (fields: readonly string[], schema: typeof metadataFields.platform) => {
    for (const field of fields) {
      const value = data[field];
      const parsed = schema.safeParse(typeof value === "number" ? String(value) : value);
      if (parsed.success && parsed.data !== undefined) return parsed.data;
    }
    return undefined;
  };
  return {
    gameVersion: read(VERSION_FIELDS, metadataFields.gameVersion) ?? UNKNOWN_BUILD,
    platform: read(["platform"], metadataFields.platform) ?? UNKNOWN_PLATFORM,
  };
}
