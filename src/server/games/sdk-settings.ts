/** The settings of a game that SDKs read at startup. */
import { defaultSdkSettings, type SdkSettings } from "../../contract/event-config.ts";
import type { GameRow } from "../db/schema.ts";

/** Reads the settings of a game. Settings that were never changed have their defaults. */
export function readSdkSettings({ sdk_settings }: Pick<GameRow, "sdk_settings">): SdkSettings {
  const changed = sdk_settings === null ? {} : (JSON.parse(sdk_settings) as Partial<SdkSettings>);
  return { ...defaultSdkSettings, ...changed };
}
