/** The settings of a game that SDKs read at startup. */
import { defaultSdkSettings, type SdkSettings } from "../../contract/event-config.ts";
import type { Db, GameRow } from "../db/schema.ts";

/** Reads the settings of a game. Settings that were never changed have their defaults. */
export function readSdkSettings({ sdk_settings }: Pick<GameRow, "sdk_settings">): SdkSettings {
  const changed = sdk_settings === null ? {} : (JSON.parse(sdk_settings) as Partial<SdkSettings>);
  return { ...defaultSdkSettings, ...changed };
}

/** Replaces the settings of a game. */
export async function storeSdkSettings(db: Db, gameId: string, settings: SdkSettings): Promise<void> {
  await db
    .updateTable("games")
    .set({ sdk_settings: JSON.stringify(settings) })
    .where("id", "=", gameId)
    .execute();
}
