/** mcp install: writes into an assistant's own settings how it starts this server, once that was shown. */
import { realpathSync } from "node:fs";
import { cleanBlock } from "../../../render/text.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { text, toggle } from "../../flags.ts";
import { askConfirm } from "../../prompts.ts";
import { requireBaseUrl, requireKey } from "../../settings.ts";
import { type Assistant, assistants, type Launch } from "./assistants.ts";
import { readServers, type ServersFile, writeServers } from "./servers-file.ts";

const names = Object.keys(assistants);

export const installCommand = command({
  path: "mcp install",
  summary: "Configure an assistant to start `playtest mcp`",
  details:
    "Shows the change and asks for confirmation. Without a terminal, --yes is required. Other settings in " +
    "the file are kept. By default, the entry contains only the profile name, not the key; use --with-key to " +
    "include the key.",
  args: [{ name: "<assistant>", describe: names.join(", "), choices: names }],
  flags: {
    name: text("--name <name>", "server name in the assistant's settings (default: playtest)"),
    print: toggle("--print", "print the entry without writing it"),
    yes: toggle("--yes", "write without confirmation"),
    withKey: toggle("--with-key", "write the key into the file"),
    allowIngest: toggle(
      "--allow-ingest",
      "enable the one tool that writes data (sessions from chat threads)",
    ),
  },
  examples: [
    "mcp install claude-desktop",
    "mcp install cursor --print",
    "mcp install vscode --profile studio --yes",
  ],
  async run(context, { args: [given = ""], flags }) {
    const assistant = Object.hasOwn(assistants, given) ? assistants[given] : undefined;
    if (!assistant)
      throw fail("usage", { message: `${JSON.stringify(given)} is not one of ${names.join(", ")}` });
    const { io } = context;
    const file = assistant.resolveFile({ home: io.home, cwd: io.cwd, env: io.env, os: io.platform.os });
    const name = flags.name ?? "playtest";
    const launch = await buildLaunch(context, assistant, flags);
    const entry = assistant.entryOf(redactKey(launch));
    const shown = JSON.stringify({ [name]: entry }, null, 2);
    const keyless = flags.withKey ? null : keylessWarning(context, assistant);
    if (flags.print) {
      if (keyless) await context.notify(keyless);
      return {
        data: { assistant: given, file, name, entry, written: false },
        view: () => `${cleanBlock(`${file}\n${shown}`)}\n`,
      };
    }
    const before = readServers(file, assistant.servers);
    await context.notify(`${describeChange(before, name)} ${file}:`);
    for (const line of shown.split("\n")) await context.notify(`  ${line}`);
    if (
      !flags.yes &&
      !(await askConfirm(
        io,
        `Write this for ${assistant.title}?`,
        "Add --yes, or --print to look at it alone.",
      ))
    ) {
      return {
        data: { assistant: given, file, name, entry, written: false },
        view: () => "Nothing was written.\n",
      };
    }
    await writeServers(before, assistant.servers, name, assistant.entryOf(launch), flags.withKey);
    if (keyless) await context.notify(keyless);
    const told = cleanBlock(`Wrote ${name} to ${file}. ${assistant.next}`);
    return { data: { assistant: given, file, name, entry, written: true }, view: () => `${told}\n` };
  },
});

interface LaunchOptions {
  readonly withKey: boolean;
  readonly allowIngest: boolean;
}

/** What the assistant runs. In a file that others read the command is found on each one's own path. */
async function buildLaunch(context: Context, { shared }: Assistant, wishes: LaunchOptions): Promise<Launch> {
  const { io, settings } = context;
  const [node = "", script = ""] = io.self;
  const args = ["mcp", ...(wishes.allowIngest ? ["--allow-ingest"] : [])];
  const { profile, baseUrl } = settings;
  // What is set here alone would be forgotten there: the profile's own settings are not.
  const named = profile.source === "default" ? [] : ["--profile", profile.value];
  const own = baseUrl && !baseUrl.source.startsWith("profile") ? ["--base-url", baseUrl.value] : [];
  const all = [...args, ...named, ...own];
  const launch = shared
    ? { command: "playtest", args: all }
    : { command: node, args: [realpathSync(script), ...all] };
  if (!wishes.withKey) return launch;
  if (shared)
    throw fail("usage", {
      message: "--with-key would put the key into a file that a repository shares",
      hint: "Leave it out: each one's own profile has the key.",
    });
  const address = requireBaseUrl(settings);
  const key = await requireKey(settings, io, "management", address);
  return { ...launch, env: { PLAYTEST_BASE_URL: address, [KEY_VARIABLE]: key.value } };
}

/** What is said where the server would start without a key, for an assistant has not the environment of here; else null. */
function keylessWarning({ settings: { stored, baseUrl } }: Context, { shared }: Assistant): string | null {
  const key = stored.keys?.management;
  if (key && (!baseUrl || key.baseUrl === baseUrl.value)) return null;
  const otherwise = shared ? "" : ", or add --with-key";
  return `Warning: no stored key would be found when it starts: store one with \`playtest login\`${otherwise}`;
}

const KEY_VARIABLE = "PLAYTEST_KEY";

/** The launch as it may be shown. */
function redactKey(launch: Launch): Launch {
  return launch.env ? { ...launch, env: { ...launch.env, [KEY_VARIABLE]: "..." } } : launch;
}

function describeChange({ servers, path }: ServersFile, name: string): string {
  if (path === null) return "A new file";
  return Object.hasOwn(servers, name) ? `${JSON.stringify(name)} is replaced in` : "Added to";
}
