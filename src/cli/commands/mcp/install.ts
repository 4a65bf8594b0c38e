/** mcp install: adds this server to an assistant's settings, after showing the change. */
import { realpathSync } from "node:fs";
import { TOOLSETS, type Toolset } from "../../../mcp/toolsets.ts";
import { cleanBlock } from "../../../render/text.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail, unknownValue } from "../../errors.ts";
import { choices, text, toggle } from "../../flags.ts";
import { askConfirm } from "../../prompts.ts";
import { findBaseUrlError, requireBaseUrl, requireKey } from "../../settings.ts";
import { type Assistant, assistants, type Launch } from "./assistants.ts";
import { readServers, type ServersFile, writeServers } from "./servers-file.ts";

const names = Object.keys(assistants);

export const toolFlags = {
  toolsets: choices("--toolsets <sets>", `more tools: ${TOOLSETS.join(", ")} (comma-separated)`, TOOLSETS),
  allowIngest: toggle(
    "--allow-ingest",
    "let the assistant create sessions from chat threads; no other tool writes data",
  ),
};

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
    ...toolFlags,
  },
  examples: [
    "mcp install claude-desktop",
    "mcp install cursor --print",
    "mcp install vscode --profile studio --yes",
  ],
  async run(context, { args: [id = ""], flags }) {
    const assistant = Object.hasOwn(assistants, id) ? assistants[id] : undefined;
    if (!assistant) throw unknownValue("assistant", id, names);
    const { io } = context;
    const file = assistant.resolveFile({ home: io.home, cwd: io.cwd, env: io.env, os: io.platform.os });
    const name = flags.name ?? "playtest";
    const launch = await buildLaunch(context, assistant, flags);
    const entry = assistant.buildEntry(redactKey(launch));
    const preview = JSON.stringify({ [name]: entry }, null, 2);
    const toResult = (written: boolean, message: string) => ({
      data: { assistant: id, file, name, entry, written },
      view: () => `${message}\n`,
    });
    const warnings = listWarnings(context, assistant, flags.withKey);
    if (flags.print) {
      for (const warning of warnings) await context.notify(warning);
      return toResult(false, cleanBlock(`${file}\n${preview}`));
    }
    const before = readServers(file, assistant.servers);
    await context.notify(`${describeChange(before, name)} ${file}:`);
    for (const line of preview.split("\n")) await context.notify(`  ${line}`);
    const hint = "Add --yes to write the entry, or --print to only show it.";
    if (!flags.yes && !(await askConfirm(io, `Write this for ${assistant.title}?`, hint)))
      return toResult(false, "Nothing was written.");
    await writeServers(before, assistant.servers, name, assistant.buildEntry(launch), flags.withKey);
    for (const warning of warnings) await context.notify(warning);
    return toResult(true, cleanBlock(`Wrote ${name} to ${file}. ${assistant.next}`));
  },
});

interface LaunchOptions {
  readonly withKey: boolean;
  readonly allowIngest: boolean;
  readonly toolsets: readonly Toolset[] | undefined;
}

/** The command that the assistant runs. In a shared file, it is looked up on each user's PATH. */
async function buildLaunch(
  context: Context,
  { shared }: Assistant,
  { withKey, allowIngest, toolsets }: LaunchOptions,
): Promise<Launch> {
  const { io, settings } = context;
  const [program = "", ...scripts] = io.self;
  const { profile, baseUrl } = settings;
  // The assistant does not have this environment and these flags, so settings from outside the profile are passed on.
  const args = [
    "mcp",
    ...(toolsets ? ["--toolsets", toolsets.join()] : []),
    ...(allowIngest ? ["--allow-ingest"] : []),
    ...(settings.allowHttp ? ["--allow-http"] : []),
    ...(profile.source === "default" ? [] : ["--profile", profile.value]),
    ...(baseUrl && !baseUrl.source.startsWith("profile") ? ["--base-url", requireBaseUrl(settings)] : []),
  ];
  const launch = shared
    ? { command: "playtest", args }
    : { command: program, args: [...scripts.map((script) => realpathSync(script)), ...args] };
  if (!withKey) return launch;
  if (shared)
    throw fail("usage", {
      message: "--with-key would write the key into a file of the repository",
      hint: "Omit --with-key. Each user's own profile contains the key.",
    });
  const url = requireBaseUrl(settings);
  const key = await requireKey(settings, io, "management", url);
  return { ...launch, env: { PLAYTEST_BASE_URL: url, [KEY_VARIABLE]: key.value } };
}

/** Reasons why the assistant could not use the service. */
function listWarnings(context: Context, assistant: Assistant, withKey: boolean): string[] {
  const rejected = findBaseUrlError(context.settings);
  const missingKey = withKey ? null : missingKeyWarning(context, assistant);
  return [
    ...(rejected ? [`Warning: ${rejected.message}. ${rejected.hint}`] : []),
    ...(missingKey === null ? [] : [missingKey]),
  ];
}

/** A warning if no stored key matches, because the assistant does not have PLAYTEST_KEY in its environment; else null. */
function missingKeyWarning({ settings: { stored, baseUrl } }: Context, { shared }: Assistant): string | null {
  const key = stored.keys?.management;
  if (key && (!baseUrl || key.baseUrl === baseUrl.value)) return null;
  const alternative = shared ? "" : ", or add --with-key";
  return `Warning: no key is stored for the assistant to use. Run \`playtest login\`${alternative}`;
}

const KEY_VARIABLE = "PLAYTEST_KEY";

function redactKey(launch: Launch): Launch {
  return launch.env ? { ...launch, env: { ...launch.env, [KEY_VARIABLE]: "..." } } : launch;
}

function describeChange({ servers, path }: ServersFile, name: string): string {
  if (path === null) return "Entry to add to the new file";
  return Object.hasOwn(servers, name) ? `Entry that replaces ${JSON.stringify(name)} in` : "Entry to add to";
}
