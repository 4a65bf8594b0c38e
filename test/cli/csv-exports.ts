/** Small exports of other analytics services, written by hand with the columns that the services document. */
import Papa from "papaparse";

export interface SampleExport {
  readonly preset: string;
  /** The exported table. */
  readonly table: string;
  readonly file: string;
  readonly content: string;
  /** What the service stores, oldest session first. */
  readonly sessions: readonly object[];
  /** Parts of the reasons of the rejected rows. */
  readonly rejected: readonly string[];
}

const at = (time: string) => Date.parse(time);
const event = (name: string, time: string, data: object | null) => ({ name, timestamp: at(time), data });
const session = (time: string, build: string, platform: string, events: readonly object[]) => ({
  ...{ recordedAt: at(time), build, platform, events },
});

/** The layout of event files: text in quotes, JSON without quotes. */
const openGameDataRow = (id: string, time: string, name: string, data: object, index: number) =>
  [
    ...[`"${id}"`, '"EMBER"', `"${time}"`, `"${name}"`, JSON.stringify(data), '"GAME"', '"110"', '""', '"5"'],
    ...['"UTC-05:00"', '"QuietFox"', "{}", '{"job_name": "no-active-job"}', String(index)],
  ].join("\t");

const openGameData: SampleExport = {
  ...{ preset: "opengamedata", table: "event files", file: "EMBER_20260101_to_20260131_events.tsv" },
  content: [
    "session_id\tapp_id\ttimestamp\tevent_name\tevent_data\tevent_source\tapp_version\tapp_branch\tlog_version\toffset\tuser_id\tuser_data\tgame_state\tindex",
    openGameDataRow("26010113", "2026-01-01T18:17:18.127000+00:00", "scene_changed", { scene: "dock" }, 0),
    openGameDataRow("26010113", "2026-01-01 18:17:20.302000", "ask_for_help", {}, 1),
    openGameDataRow("26010113", "January 1", "ask_for_help", {}, 2),
    "",
  ].join("\n"),
  sessions: [
    session("2026-01-01T18:17:18.127Z", "110", "unknown", [
      event("scene_changed", "2026-01-01T18:17:18.127Z", {
        scene: "dock",
        game_state: { job_name: "no-active-job" },
      }),
      event("ask_for_help", "2026-01-01T18:17:20.302Z", { game_state: { job_name: "no-active-job" } }),
    ]),
  ],
  rejected: ['the time "January 1" is not ISO 8601'],
};

const unityJson = (more: object) => ({
  sessionID: "4879bf37",
  timezoneOffset: "+0200",
  platform: "WEB",
  ...more,
});

const unityEvents: SampleExport = {
  ...{ preset: "unity-analytics", table: "EVENTS", file: "unity.csv" },
  content: Papa.unparse([
    {
      ...{ UNITY_ENVIRONMENT_NAME: "Production", UNITY_APPLICATION_NAME: "Ember", EVENT_ID: 1 },
      ...{
        EVENT_JSON: JSON.stringify(unityJson({ missionName: "dock" })),
        MAIN_EVENT_ID: 1,
        PLATFORM: "WEB",
      },
      ...{ EVENT_DATE: "2026-01-01", EVENT_LEVEL: 0, CLIENT_VERSION: "0.9.0", USER_ID: "ABCD1-43" },
      ...{ USER_COUNTRY: "DE", EVENT_TIMESTAMP: "2026-01-01 20:17:18.127", EVENT_NAME: "missionStarted" },
    },
    {
      ...{ UNITY_ENVIRONMENT_NAME: "Production", UNITY_APPLICATION_NAME: "Ember", EVENT_ID: 2 },
      ...{ EVENT_JSON: JSON.stringify({ sessionID: "4879bf37" }), MAIN_EVENT_ID: 2, PLATFORM: "WEB" },
      ...{ EVENT_DATE: "2026-01-01", EVENT_LEVEL: 0, CLIENT_VERSION: "0.9.0", USER_ID: "ABCD1-43" },
      ...{ USER_COUNTRY: "DE", EVENT_TIMESTAMP: "2026-01-01 20:17:19.000", EVENT_NAME: "missionFailed" },
    },
  ]),
  sessions: [
    session("2026-01-01T18:17:18.127Z", "0.9.0", "WEB", [
      event("missionStarted", "2026-01-01T18:17:18.127Z", unityJson({ missionName: "dock" })),
    ]),
  ],
  rejected: ["has no time zone"],
};

const unityAccountEvents: SampleExport = {
  ...{ preset: "unity-analytics", table: "ACCOUNT_EVENTS", file: "account.csv" },
  content: Papa.unparse([
    {
      ...{ ACCOUNT_NAME: "studio", GAME_NAME: "Ember", GAME_ID: 7, ENVIRONMENT_NAME: "production" },
      ...{ ENVIRONMENT_ID: 1, LOAD_ID: 3, EVENT_ID: 1, EVENT_TIMESTAMP: "2026-01-01 20:17:18.127" },
      ...{
        EVENT_NAME: "gameStarted",
        PLAYER_START_DATE: "2026-01-01",
        USER_COUNTRY: "DE",
        USER_ID: "ABCD1-43",
      },
      ...{ EVENT_JSON: JSON.stringify(unityJson({ clientVersion: "0.9.1" })) },
    },
  ]),
  sessions: [
    session("2026-01-01T18:17:18.127Z", "0.9.1", "WEB", [
      event("gameStarted", "2026-01-01T18:17:18.127Z", unityJson({ clientVersion: "0.9.1" })),
    ]),
  ],
  rejected: [],
};

const gameAnalyticsCommon = (second: string) => ({
  ...{ event_dt: "2026-01-01", event_client_ts: `2026-01-01 18:17:${second} UTC` },
  ...{ event_arrival_ts: "2026-01-01 19:00:00 UTC", game_id: 123456, user_id: "01234abc-999z" },
  ...{ player_id: "0a1b1c2d", session_id: "8aaa-4bbb" },
});
const gameAnalyticsCustom = { custom_01: "coop", custom_02: "", custom_03: "" };

const gameAnalyticsDesign: SampleExport = {
  ...{ preset: "gameanalytics", table: "design_event", file: "design.csv" },
  content: Papa.unparse([
    {
      ...gameAnalyticsCommon("18"),
      ...{ event_id_01: "engage", event_id_02: "boss", event_id_03: "", event_id_04: "", event_id_05: "" },
      ...{ ...gameAnalyticsCustom, value: "33.5", custom_fields: '{"ball_color": "red"}' },
    },
  ]),
  sessions: [
    session("2026-01-01T18:17:18Z", "unknown", "unknown", [
      event("engage:boss", "2026-01-01T18:17:18Z", { ball_color: "red", value: 33.5, custom_01: "coop" }),
    ]),
  ],
  rejected: [],
};

const gameAnalyticsProgression: SampleExport = {
  ...{ preset: "gameanalytics", table: "progression_event", file: "progression.csv" },
  content: Papa.unparse([
    {
      ...gameAnalyticsCommon("19"),
      ...{
        progression_status: "Fail",
        progression_1: "Universe1",
        progression_2: "Planet1",
        progression_3: "",
      },
      ...{ score: 45, attempt_num: 5, ...gameAnalyticsCustom, value: "", custom_fields: "" },
    },
  ]),
  sessions: [
    session("2026-01-01T18:17:19Z", "unknown", "unknown", [
      event("Fail:Universe1:Planet1", "2026-01-01T18:17:19Z", {
        ...{ progression_status: "Fail", score: 45, attempt_num: 5, custom_01: "coop" },
        room: "Universe1:Planet1",
      }),
    ]),
  ],
  rejected: [],
};

const gameAnalyticsError: SampleExport = {
  ...{ preset: "gameanalytics", table: "error_event", file: "error.csv" },
  content: Papa.unparse([
    {
      ...gameAnalyticsCommon("20"),
      ...{ severity: "critical", message: "AndroidJavaException: (...)\nat line 2", ...gameAnalyticsCustom },
      ...{ value: "", custom_fields: "[1]" },
    },
    {
      ...gameAnalyticsCommon("21"),
      ...{ severity: "critical", message: "x", ...gameAnalyticsCustom, value: "", custom_fields: "{}" },
    },
  ]),
  sessions: [
    session("2026-01-01T18:17:21Z", "unknown", "unknown", [
      event("critical", "2026-01-01T18:17:21Z", { severity: "critical", message: "x", custom_01: "coop" }),
    ]),
  ],
  rejected: ['the column "custom_fields" is not a JSON object (lines 2 to 3)'],
};

const gameAnalyticsResource: SampleExport = {
  ...{ preset: "gameanalytics", table: "resource_event", file: "resource.csv" },
  content: Papa.unparse([
    {
      ...gameAnalyticsCommon("22"),
      ...{ flow_type: "Sink", currency: "Gems", amount: "-20", item_type: "Armour", item_id: "IronArmour" },
      ...{ ...gameAnalyticsCustom, value: 33, custom_fields: "" },
    },
  ]),
  sessions: [
    session("2026-01-01T18:17:22Z", "unknown", "unknown", [
      event("Sink:Gems:Armour:IronArmour", "2026-01-01T18:17:22Z", {
        ...{ flow_type: "Sink", currency: "Gems", amount: -20, item_type: "Armour", item_id: "IronArmour" },
        custom_01: "coop",
      }),
    ]),
  ],
  rejected: [],
};

const playFabRow = (id: string, player: string, time: string, name: string) => ({
  ...{ SchemaVersion: "2.0.1", FullName_NameSpace: "title.A1B2", FullName_Name: name },
  ...{ Entity_Id: player || "A1B2", Entity_Type: player ? "title_player_account" : "title" },
  ...{ EntityLineage_title: "A1B2", EventData: '{"Payload":{"level":3}}', EventId: id, Timestamp: time },
  EntityLineage_title_player_account: player,
});

const playFab: SampleExport = {
  ...{ preset: "playfab", table: "events.all", file: "events.csv" },
  content: Papa.unparse([
    playFabRow("5f0c1a00", "9F1C", "2026-01-01T18:17:18.1270001Z", "level_failed"),
    playFabRow("5f0c1a01", "", "2026-01-01T18:17:19Z", "title_updated"),
    playFabRow("5f0c1a02", "9F1C", "2026-01-01T18:40:00Z", "level_failed"),
    playFabRow("5f0c1a03", "9F1C", "2026-01-01T20:00:00Z", "level_failed"),
  ]),
  sessions: [
    session("2026-01-01T18:17:18.127Z", "unknown", "unknown", [
      event("level_failed", "2026-01-01T18:17:18.127Z", {
        Payload: { level: 3 },
        FullName_NameSpace: "title.A1B2",
      }),
      event("level_failed", "2026-01-01T18:40:00Z", {
        Payload: { level: 3 },
        FullName_NameSpace: "title.A1B2",
      }),
    ]),
    session("2026-01-01T20:00:00Z", "unknown", "unknown", [
      event("level_failed", "2026-01-01T20:00:00Z", {
        Payload: { level: 3 },
        FullName_NameSpace: "title.A1B2",
      }),
    ]),
  ],
  rejected: ["the device is empty, so its session is unknown"],
};

export const exports: readonly SampleExport[] = [
  ...[openGameData, unityEvents, unityAccountEvents, playFab],
  ...[gameAnalyticsDesign, gameAnalyticsProgression, gameAnalyticsError, gameAnalyticsResource],
];
