/** The commands about settings: read, change and remove those of the profile in use. */
import { fail } from "../../../contract/errors.ts";
import type { Column } from "../../../render/columns.ts";
import { command, tableOf } from "../../command.ts";
import { changeProfile, configPath } from "../../config-file.ts";
import type { Context } from "../../context.ts";
import { findGame } from "../../settings.ts";
import { configKeys, requireConfigKey } from "./keys.ts";

const known = Object.entries(configKeys)
  .map(([name, { describe }]) => `  ${name.padEnd(10)}${describe}`)
  .join("\n");
const details = `The settings are:\n${known}`;

const getCommand = command({
  path: "config get",
  summary: "Print one setting of the profile in use",
  details,
  args: [{ name: "<name>", describe: "setting" }],
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
  args: [
    { name: "<name>", describe: "setting" },
    { name: "<value>", describe: "its value" },
  ],
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
  args: [{ name: "<name>", describe: "setting" }],
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

interface Row {
  readonly name: string;
  readonly value: string | null;
  readonly source: string | null;
}

const columns: readonly Column<Row>[] = [
  { key: "name", header: "SETTING", value: ({ name }) => name, style: "strong" },
  { key: "value", header: "VALUE", value: ({ value }) => value, shrink: 1 },
  { key: "source", header: "FROM", value: ({ source }) => source, shrink: 2 },
];

const listCommand = command({
  path: "config list",
  summary: "Show the settings in force, and where each comes from",
  args: [],
  flags: {},
  examples: ["config list", "config list --json"],
  async run({ settings, io }) {
    const game = await findGame(settings, io);
    const seconds = ({ value, source }: { value: number; source: string }) => ({
      value: `${value / 1000}s`,
      source,
    });
    const inForce = {
      profile: settings.profile,
      "base-url": settings.baseUrl,
      game,
      format: settings.format,
      tz: settings.tz,
      timeout: seconds(settings.timeoutMs),
      "max-wait": seconds(settings.maxWaitMs),
    };
    const rows = Object.entries(inForce).map(
      ([name, setting]): Row => ({ name, value: setting?.value ?? null, source: setting?.source ?? null }),
    );
    return { data: { settings: rows }, table: tableOf(rows, columns, "") };
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
