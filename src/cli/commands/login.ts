/** login: stores a key, once the service has said what it opens. */

import { createClient, exchange } from "../../client/client.ts";
import type { KeyKind } from "../../contract/define.ts";
import { type ApiError, fail } from "../../contract/errors.ts";
import * as games from "../../contract/games.ts";
import { command } from "../command.ts";
import { changeProfile, configPath, useIfFirst } from "../config-file.ts";
import type { Context } from "../context.ts";
import { toggle } from "../flags.ts";
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
  mends: true,
  async run(context, { flags }) {
    const { io, settings } = context;
    const kind: KeyKind = flags.ingest ? "ingest" : "management";
    const baseUrl = await baseUrlOf(context);
    const key = await askKey(io, kind);
    const scope =
      kind === "ingest"
        ? await checkIngestKey(context, baseUrl, key)
        : await countGames(context, baseUrl, key);
    const name = settings.profile.value;
    await changeProfile(io.configDir, name, (profile) => ({
      ...profile,
      baseUrl,
      keys: { ...profile.keys, [kind]: { key, baseUrl } },
    }));
    await useIfFirst(io.configDir, name);
    await context.notify(
      `Stored the ${kind} key for ${baseUrl} in profile ${name} (${configPath(io.configDir)}).`,
    );
    const data = { profile: name, baseUrl, kind, ...(scope === null ? {} : { games: scope }) };
    return {
      data,
      view: () => (scope === null ? "" : `It reads ${scope} ${scope === 1 ? "game" : "games"}.\n`),
    };
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
    if ((error as ApiError).code !== "forbidden") throw unknownKey(error);
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
    if (code !== "forbidden") throw unknownKey(error);
    throw fail("forbidden", {
      message: "This is a management key: it reads, but does not send telemetry",
      hint: "Give the ingest key, or store this one without --ingest.",
      cause: error,
    });
  }
  return null;
}

/** Whoever logs in needs not be told to log in. */
function unknownKey(error: unknown): unknown {
  if ((error as ApiError).code !== "unauthorized") return error;
  return fail("unauthorized", {
    message: "The service does not know this key",
    hint: "Copy it again, whole; a key that was rotated no longer works.",
    cause: error,
  });
}

export const commands = [loginCommand];
