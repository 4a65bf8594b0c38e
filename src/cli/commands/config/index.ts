/** The commands about settings: read, change and remove those of the profile in use. */
import { command, tableOf } from "../../command.ts";
import { changeProfile, configPath } from "../../config-file.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { settingColumns, settingsInForce } from "./in-force.ts";
import { configKeys, requireConfigKey } from "./keys.ts";

const known = Object.entries(configKeys)
  .map(([name, { describe }]) => `  ${name.padEnd(10)}${describe}`)
  .join("\n");
const details = `The settings are:\n${known}`;

const settingArgument = { name: "<name>", describe: "setting", choices: Object.keys(configKeys) };

const getCommand = command({
  path: "config get",
  summary: "Print one setting of the profile in use",
  details,
  args: [settingArgument],
  flags: {},
  examples: ["config get base-url"],
  mends: true,
  async run({ settings }, { args }) {
    const name = args[0] ?? "";
    const value = settings.stored[requireConfigKey(name).field] ?? null;
    return { data: { [name]: value }, view: () => (value === null ? "" : `${value}\n`) };
  },
});

const setCommand = command({
  path: "config set",
  summary: "Change a setting of the profile in use",
  details,
  args: [settingArgument, { name: "<value>", describe: "its value" }],
  flags: {},
  examples: ["config set game ember", "config set tz Europe/Berlin --profile studio"],
  mends: true,
  async run(context, { args: [name = "", given = ""] }) {
    const key = requireConfigKey(name);
    if (given === "")
      throw fail("usage", {
        message: `${name} needs a value`,
        hint: `\`playtest config unset ${name}\` removes it.`,
      });
    const value = key.check(given);
    return await change(context, `${name} is now ${value}`, { [name]: value }, (profile) => ({
      ...profile,
      [key.field]: value,
    }));
  },
});

const unsetCommand = command({
  path: "config unset",
  summary: "Remove a setting from the profile in use",
  details,
  args: [settingArgument],
  flags: {},
  examples: ["config unset game"],
  mends: true,
  async run(context, { args: [name = ""] }) {
    const { field } = requireConfigKey(name);
    return await change(
      context,
      `${name} is no longer set`,
      { [name]: null },
      ({ [field]: _removed, ...profile }) => profile,
    );
  },
});

async function change(
  { io, settings }: Context,
  told: string,
  data: Record<string, string | null>,
  edit: Parameters<typeof changeProfile>[2],
) {
  const profile = settings.profile.value;
  await changeProfile(io.configDir, profile, edit);
  return { data, view: () => `${told} in profile ${profile}.\n` };
}

const listCommand = command({
  path: "config list",
  summary: "Show the settings in force, and where each comes from",
  args: [],
  flags: {},
  examples: ["config list", "config list --json"],
  async run(context) {
    const rows = settingsInForce(context, await context.findGame());
    return { data: { settings: rows }, table: tableOf(rows, settingColumns, "") };
  },
});

const pathCommand = command({
  path: "config path",
  summary: "Print where the config file is",
  args: [],
  flags: {},
  examples: ["config path"],
  mends: true,
  async run({ io }) {
    const path = configPath(io.configDir);
    return { data: { path }, view: () => `${path}\n` };
  },
});

export const commands = [getCommand, setCommand, unsetCommand, listCommand, pathCommand];
