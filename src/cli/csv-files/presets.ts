/**
 * Maps for exports of other analytics services. Each column is documented by its service
 * (docs/decisions/063-import-from-csv.md). A preset has one map for each table that the service exports.
 */
import type { CsvMap, NamedMap, PresetName } from "./map.ts";

/** A player's clock: Unity exports local times, and the offset is in the JSON of the event. */
const unityTime = {
  column: "EVENT_TIMESTAMP",
  format: "iso",
  zone: { column: "EVENT_JSON", path: "timezoneOffset" },
} as const;

const unity = {
  session: { column: "EVENT_JSON", path: "sessionID" },
  device: "USER_ID",
  event: "EVENT_NAME",
  time: unityTime,
  json: ["EVENT_JSON"],
  source: "unity-telemetry",
} as const;

/** The table EVENTS of the SQL Data Explorer, and the view ACCOUNT_EVENTS of Data Access. */
const unityEvents: CsvMap = {
  ...{ ...unity, json: [...unity.json] },
  build: "CLIENT_VERSION",
  platform: "PLATFORM",
  environment: "UNITY_ENVIRONMENT_NAME",
  optional: ["CLIENT_VERSION", "PLATFORM", "UNITY_ENVIRONMENT_NAME"],
};
const unityAccountEvents: CsvMap = {
  ...{ ...unity, json: [...unity.json] },
  build: { column: "EVENT_JSON", path: "clientVersion" },
  platform: { column: "EVENT_JSON", path: "platform" },
  environment: "ENVIRONMENT_NAME",
  optional: ["ENVIRONMENT_NAME"],
};

const gameAnalytics = {
  session: "session_id",
  device: "user_id",
  time: { column: "event_client_ts", format: "iso", zone: "UTC" },
} as const;

/** Columns that only games have which use them. */
const customColumns = ["custom_fields", "custom_01", "custom_02", "custom_03"];

/** The event tables of the data warehouse. The fields of `custom_fields` become data. */
const gameAnalyticsTables: Readonly<Record<string, CsvMap>> = {
  design_event: {
    ...gameAnalytics,
    event: { columns: ["event_id_01", "event_id_02", "event_id_03", "event_id_04", "event_id_05"] },
    json: ["custom_fields"],
    data: ["value", "custom_01", "custom_02", "custom_03"],
    optional: [...customColumns, "value", "event_id_02", "event_id_03", "event_id_04", "event_id_05"],
  },
  progression_event: {
    ...gameAnalytics,
    event: { columns: ["progression_status", "progression_1", "progression_2", "progression_3"] },
    room: { columns: ["progression_1", "progression_2", "progression_3"] },
    json: ["custom_fields"],
    data: ["progression_status", "score", "attempt_num", "custom_01", "custom_02", "custom_03"],
    optional: [...customColumns, "score", "attempt_num", "progression_2", "progression_3"],
  },
  error_event: {
    ...gameAnalytics,
    event: { columns: ["severity"] },
    json: ["custom_fields"],
    data: ["severity", "message", "custom_01", "custom_02", "custom_03"],
    optional: [...customColumns, "message"],
  },
  resource_event: {
    ...gameAnalytics,
    event: { columns: ["flow_type", "currency", "item_type", "item_id"] },
    json: ["custom_fields"],
    data: ["flow_type", "currency", "amount", "item_type", "item_id", "custom_01", "custom_02", "custom_03"],
    optional: [...customColumns, "amount", "item_type", "item_id"],
  },
};

/** The table events.all. It has no sessions, so a pause of 30 minutes starts a new one. Its times are times of receipt. */
const playFabEvents: CsvMap = {
  sessionGapMinutes: 30,
  device: "EntityLineage_title_player_account",
  event: "FullName_Name",
  eventId: "EventId",
  time: { column: "Timestamp", format: "iso", zone: "UTC" },
  json: ["EventData"],
  data: ["FullName_NameSpace"],
  optional: ["EventId", "EventData", "FullName_NameSpace"],
};

/** Event files. Two rows of a session can have the same index, so ids are derived from the rows. */
const openGameData: CsvMap = {
  session: "session_id",
  device: "user_id",
  event: "event_name",
  time: { column: "timestamp", format: "iso", zone: "UTC" },
  build: "app_version",
  json: ["event_data"],
  data: ["game_state"],
  optional: ["app_version", "user_id", "event_data", "game_state"],
};

interface Preset {
  /** Whether somebody has read real files with it. The others follow the documents of their services. */
  readonly isTried: boolean;
  /** The map of each table that the service exports, by the name of the table. */
  readonly tables: Readonly<Record<string, CsvMap>>;
}

const presets: Readonly<Record<PresetName, Preset>> = {
  gameanalytics: { isTried: false, tables: gameAnalyticsTables },
  opengamedata: { isTried: true, tables: { events: openGameData } },
  playfab: { isTried: false, tables: { "events.all": playFabEvents } },
  "unity-analytics": { isTried: false, tables: { EVENTS: unityEvents, ACCOUNT_EVENTS: unityAccountEvents } },
};

export function listMaps(name: PresetName): readonly NamedMap[] {
  const { isTried, tables } = presets[name];
  return Object.entries(tables).map(([table, map]) => ({
    ...{ map, preset: `${name} (table ${table})`, isExample: !isTried },
  }));
}
