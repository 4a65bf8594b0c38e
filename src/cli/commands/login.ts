/** login: stores a key, once the service has said what it opens. */
import * as games from "../../contract/games.ts";
import { type ApiError, fail } from "../../contract/errors.ts";
import type { KeyKind } from "../../contract/define.ts";
import { createClient, exchange } from "../../client/client.ts";
import { command } from "../command.ts";
import { changeProfile, configPath, readConfig, writeConfig } from "../config-file.ts";
import type { Context } from "../context.ts";
import { toggle } from "../flags.ts";
import type { Io } from "../io.ts";
import { askBaseUrl, askKey } from "../prompts.ts";
import { checkBaseUrl, requireBaseUrl } from "../settings.ts";

export const loginCommand = command({
  path: "login",
  summary: "Store a key for a service, once the service has accepted it",
  details:
    "The key comes from PLAYTEST_KEY (PLAYTEST_INGEST_KEY with --ingest), else from standard input, else from a " +
    "prompt; never from an argument, which other users of the machine could read. It is kept for this base URL alone.",
  args: [],
  flags: { ingest: toggle("--ingest", "store an ingest key, for `playtest ingest telemetry`") },
  examples: [
    "login --base-url https://playtest.example.com",
    "login --base-url https://playtest.example.com --profile studio < key.txt",
  ],
  async run(context, { flags }) {
    const { io, settings } = context;
    const kind: KeyKind = flags.ingest ? "ingest" : "management";
    const baseUrl = await baseUrlOf(context);
    const key = await askKey(io, kind);
    const scope = kind === "ingest" ? await checkIngestKey(context, baseUrl, key) : await countGames(context, baseUrl, key);
    const name = settings.profile.value;
    await changeProfile(io.configDir, name, (profile) => ({
      ...profile,
      baseUrl,
      keys: { ...profile.keys, [kind]: { key, baseUrl } },
    }));
    await chooseIfFirst(io, name);
    await context.notify(`Stored the ${kind} key for ${baseUrl} in profile ${name} (${configPath(io.configDir)}).`);
    const data = { profile: name, baseUrl, kind, ...(scope === null ? {} : { games: scope }) };
    return { data, view: () => (scope === null ? "" : `It reads ${scope} ${scope === 1 ? "game" : "games"}.\n`) };
  },
});

async function baseUrlOf({ io, settings }: Context): Promise<string> {
  if (settings.baseUrl) return settings.baseUrl.value;
  if (!io.stdin.isTTY) return requireBaseUrl(settings);
  return checkBaseUrl({ value: await askBaseUrl(io), source: "the prompt" }, settings.allowHttp);
}

async function countGames(context: Context, baseUrl: string, key: string): Promise<number> {
  const options = { ...(await context.bareClientOptions(baseUrl)), key };
  try {
    const { games: owned } = await createClient({ listGames: games.listGames }, options).listGames();
    return owned.length;
  } catch (error) {
    if ((error as ApiError).code !== "forbidden") throw error;
    throw fail("forbidden", {
      message: "This is an ingest key: it can send telemetry but read nothing",
      hint: "Give the management key, or store this one with --ingest.",
      cause: error,
    });
  }
}

/** An empty telemetry body is refused as such only once the key is accepted. */
async function checkIngestKey(context: Context, baseUrl: string, key: string): Promise<null> {
  const options = { ...(await context.bareClientOptions(baseUrl)), key };
  try {
    await exchange("POST", "/api/telemetry", {}, options);
  } catch (error) {
    const { code } = error as ApiError;
    if (code === "bad_request") return null;
    if (code !== "forbidden") throw error;
    throw fail("forbidden", {
      message: "This is a management key: it reads, but does not send telemetry",
      hint: "Give the ingest key, or store this one without --ingest.",
      cause: error,
    });
  }
  return null;
}

/** The first profile becomes the one that is used where none is named. */
async function chooseIfFirst(io: Io, name: string): Promise<void> {
  const config = readConfig(io.configDir);
  const others = Object.keys(config.profiles ?? {}).filter((other) => other !== name);
  if (config.profile === undefined && others.length === 0) await writeConfig(io.configDir, { ...config, profile: name });
}

export const commands = [loginCommand];
