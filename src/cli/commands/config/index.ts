/** The `config` commands: read, change and remove settings of the current profile. */
import { defineColumns } from "../../../render/tables/columns.ts";
import { DURATION_SYNTAX, parseDuration } from "../../../shared/durations.ts";
import { command, createTable } from "../../command.ts";
import type { Profile, StoredKeyKind } from "../../config-file.ts";
import { configPath, updateProfile } from "../../config-file.ts";
import type { Context } from "../../context.ts";
import { fail, unknownValue } from "../../errors.ts";
import { outputFormats } from "../../global-flags.ts";
import type { Setting } from "../../precedence.ts";
import { redactUrl } from "../../public-url.ts";
import { checkBaseUrl, describeProfile, isUnencrypted, keyVariables } from "../../settings.ts";

interface ConfigKey {
  readonly field: ProfileField;
  readonly describe: string;
  /** The value to store for a text. Throws `usage` or `config` if it is invalid. */
  parse(text: string): string;
}

const identity = (text: string) => text;

function requireDuration(text: string): string {
  if (parseDuration(text) !== null) return text;
  throw fail("usage", { message: `${JSON.stringify(text)} is not ${DURATION_SYNTAX}` });
}

const configKeys: Readonly<Record<string, ConfigKey>> = {
  "base-url": {
    field: "baseUrl",
    describe: "URL of the service",
    parse: (text) => checkBaseUrl({ value: text, source: null }, true),
  },
  game: { field: "game", describe: "default game", parse: identity },
  format: {
    field: "format",
    describe: `output format: ${outputFormats.join(", ")}`,
    parse(text) {
      if (outputFormats.some((format) => format === text)) return text;
      throw unknownValue("format", text, outputFormats);
    },
  },
  tz: {
    field: "tz",
    describe: "time zone for displayed and entered times",
    parse(text) {
      try {
        return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
      } catch {
        throw fail("usage", { message: `${JSON.stringify(text)} is not a time zone such as Europe/Berlin` });
      }
    },
  },
  timeout: { field: "timeout", describe: "give up if no data arrives for this long", parse: requireDuration },
  "max-wait": {
    field: "maxWait",
    describe: "how long to wait when the service limits requests",
    parse: requireDuration,
  },
};

/** The setting with a name. Throws `usage` if there is none. */
function requireConfigKey(name: string): ConfigKey {
  const key = Object.hasOwn(configKeys, name) ? configKeys[name] : undefined;
  if (key) return key;
  throw unknownValue("setting", name, Object.keys(configKeys));
}

interface SettingRow {
  readonly name: string;
  readonly value: string | null;
  readonly source: string | null;
}

export const settingColumns = defineColumns<SettingRow>({
  name: { header: "SETTING", tone: "strong" },
  value: { header: "VALUE", shrink: 1 },
  source: {
    header: "SOURCE",
    format: ({ source }) => (source === "default" ? "built-in" : String(source)),
    shrink: 2,
  },
});

/** All settings. The caller looks up the game, because that may read the repository file. */
export function listEffectiveSettings(context: Context, game: Setting<string> | null): SettingRow[] {
  const { settings } = context;
  const effective = {
    profile: settings.profile,
    "base-url": settings.baseUrl && { ...settings.baseUrl, value: redactUrl(settings.baseUrl.value) },
    game,
    format: settings.format,
    tz: settings.tz,
    timeout: formatDurationSetting(settings.timeoutMs),
    "max-wait": formatDurationSetting(settings.maxWaitMs),
    "management key": describeKey("management", context),
    "ingest key": describeKey("ingest", context),
  };
  return Object.entries(effective).map(([name, setting]) => ({
    name,
    value: setting?.value ?? null,
    source: setting?.source ?? null,
  }));
}

/** A duration in the syntax that users type. */
function formatDurationSetting({ value, source }: Setting<number>): Setting<string> {
  const [ms, unit] =
    value % 60_000 === 0 ? [60_000, "m"] : value % 1000 === 0 ? [1000, "s"] : ([1, "ms"] as const);
  return { value: value === 0 ? "0" : `${value / ms}${unit}`, source };
}

/** The source of a key and the service that it is for, without the key itself. */
function describeKey(kind: StoredKeyKind, { settings, io }: Context): Setting<string> | null {
  const variable = keyVariables[kind];
  if (io.env[variable]) return { value: "set", source: variable };
  const stored = settings.stored.keys?.[kind];
  if (!stored) return null;
  const where = "keychain" in stored ? ", in the keychain" : "";
  return {
    value: `set, only for ${stored.baseUrl}${where}`,
    source: describeProfile(settings.profile.value),
  };
}

const known = Object.entries(configKeys)
  .map(([name, { describe }]) => `  ${name.padEnd(10)}${describe}`)
  .join("\n");
const details = `The settings are:\n${known}`;

const settingArgument = { name: "<name>", describe: "setting name", choices: Object.keys(configKeys) };

const getCommand = command({
  path: "config get",
  summary: "Print a setting of the current profile",
  details,
  args: [settingArgument],
  examples: ["config get base-url"],
  toleratesInvalidProfile: true,
  async run({ settings }, { args }) {
    const name = args[0] ?? "";
    const value = settings.stored[requireConfigKey(name).field] ?? null;
    return { data: { [name]: value }, view: () => (value === null ? "" : `${value}\n`) };
  },
});

const setCommand = command({
  path: "config set",
  summary: "Change a setting of the current profile",
  details,
  args: [settingArgument, { name: "<value>", describe: "new value" }],
  examples: ["config set game ember", "config set tz Europe/Berlin --profile studio"],
  toleratesInvalidProfile: true,
  async run(context, { args: [name = "", text = ""] }) {
    const key = requireConfigKey(name);
    if (text === "")
      throw fail("usage", {
        message: `${name} must not be empty`,
        hint: `Run \`playtest config unset ${name}\` to remove it.`,
      });
    const value = key.parse(text);
    const result = await changeSetting(context, `Set ${name} to ${value}`, { [name]: value }, (profile) => ({
      ...profile,
      [key.field]: value,
    }));
    if (key.field === "baseUrl" && isUnencrypted(new URL(value))) {
      await context.notify(
        `Warning: commands that send a key to ${value} require --allow-http, because the key is sent unencrypted`,
      );
    }
    return result;
  },
});

const unsetCommand = command({
  path: "config unset",
  summary: "Remove a setting from the current profile",
  details,
  args: [settingArgument],
  examples: ["config unset game"],
  toleratesInvalidProfile: true,
  async run(context, { args: [name = ""] }) {
    const { field } = requireConfigKey(name);
    const { profile, stored } = context.settings;
    if (stored[field] === undefined) {
      return {
        data: { [name]: null },
        view: () => `${name} is not set in ${describeProfile(profile.value)}.\n`,
      };
    }
    return await changeSetting(
      context,
      `Removed ${name}`,
      { [name]: null },
      ({ [field]: _removed, ...profile }) => profile,
    );
  },
});

async function changeSetting(
  { io, settings }: Context,
  message: string,
  data: Record<string, string | null>,
  edit: Parameters<typeof updateProfile>[2],
) {
  const profile = settings.profile.value;
  await updateProfile(io.configDir, profile, edit);
  return { data, view: () => `${message} (${describeProfile(profile)}).\n` };
}

const listCommand = command({
  path: "config list",
  summary: "List the current settings and their sources",
  examples: ["config list", "config list --json"],
  async run(context) {
    const rows = listEffectiveSettings(context, await context.findGame());
    return { data: { settings: rows }, table: createTable(rows, settingColumns, "") };
  },
});

const pathCommand = command({
  path: "config path",
  summary: "Print the path of the config file",
  examples: ["config path"],
  toleratesInvalidProfile: true,
  async run({ io }) {
    const path = configPath(io.configDir);
    return { data: { path }, view: () => `${path}\n` };
  },
});

export const commands = [getCommand, setCommand, unsetCommand, listCommand, pathCommand];

type ProfileField = Exclude<keyof Profile, "keys">;
