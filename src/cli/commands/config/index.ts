/** The `config` commands: read, change and remove settings of the current profile. */
import { command, createTable } from "../../command.ts";
import { configPath, updateProfile } from "../../config-file.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { describeProfile, isUnencrypted } from "../../settings.ts";
import { listEffectiveSettings, settingColumns } from "./effective-settings.ts";
import { configKeys, requireConfigKey } from "./keys.ts";

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
  flags: {},
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
  flags: {},
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
  flags: {},
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
  args: [],
  flags: {},
  examples: ["config list", "config list --json"],
  async run(context) {
    const rows = listEffectiveSettings(context, await context.findGame());
    return { data: { settings: rows }, table: createTable(rows, settingColumns, "") };
  },
});

const pathCommand = command({
  path: "config path",
  summary: "Print the path of the config file",
  args: [],
  flags: {},
  examples: ["config path"],
  toleratesInvalidProfile: true,
  async run({ io }) {
    const path = configPath(io.configDir);
    return { data: { path }, view: () => `${path}\n` };
  },
});

export const commands = [getCommand, setCommand, unsetCommand, listCommand, pathCommand];
