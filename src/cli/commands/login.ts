/** login: stores a key after the service has accepted it. */
import { createClient, sendRequest } from "../../client/client.ts";
import { ClientError } from "../../client/errors.ts";
import * as games from "../../contract/games.ts";
import { command } from "../command.ts";
import type { StoredKeyKind } from "../config-file.ts";
import { configPath, makeDefaultIfFirst, type ProfileKey, updateProfile } from "../config-file.ts";
import type { Context } from "../context.ts";
import type { CliError } from "../errors.ts";
import { toggle } from "../flags.ts";
import { explainKeyError } from "../key-error.ts";
import type { KeychainKeyName } from "../keychain.ts";
import { askBaseUrl, askKey } from "../prompts.ts";
import { checkBaseUrl, describeProfile, requireBaseUrl } from "../settings.ts";

const loginCommand = command({
  path: "login",
  summary: "Log in to a service and store a key",
  details:
    "Stores a management key, which reads everything in an account, or with --ingest a key that can only send data. " +
    "The key is read from PLAYTEST_KEY (PLAYTEST_INGEST_KEY with --ingest), standard input or a prompt, in " +
    "that order. It cannot be passed as an argument, because other users of the machine could read it. The " +
    "service must accept the key before it is stored. The stored key is used only for this URL.",
  flags: {
    ingest: toggle("--ingest", "store an ingest key, for `playtest ingest telemetry`"),
    keychain: toggle("--keychain", "store the key in the system keychain instead of the config file"),
  },
  examples: [
    "login --base-url https://playtest.example.com",
    "login --base-url https://playtest.example.com --profile studio < key.txt",
    "login --base-url https://playtest.example.com --keychain",
  ],
  toleratesInvalidProfile: true,
  async run(context, { flags }) {
    const { io, settings } = context;
    const kind: StoredKeyKind = flags.ingest ? "ingest" : "management";
    const baseUrl = await resolveBaseUrl(context);
    const key = await askKey(io, kind);
    const gameCount =
      kind === "ingest"
        ? await checkIngestKey(context, baseUrl, key)
        : await countGames(context, baseUrl, key);
    const name = settings.profile.value;
    const location = await storeKey(context, { profile: name, kind, baseUrl }, key, flags.keychain);
    await context.notify(`Stored the ${kind} key for ${baseUrl} in ${describeProfile(name)} (${location}).`);
    const data = { profile: name, baseUrl, kind, ...(gameCount === null ? {} : { games: gameCount }) };
    const access =
      gameCount === null
        ? "can send telemetry"
        : `can access ${gameCount} ${gameCount === 1 ? "game" : "games"}`;
    return { data, view: () => `Logged in. This key ${access}.\n` };
  },
});

/** Stores the key and removes the one it replaces from the keychain. Returns the location, for people. */
async function storeKey(
  context: Context,
  name: KeychainKeyName,
  key: string,
  inKeychain: boolean,
): Promise<string> {
  const { io, settings } = context;
  const { profile, kind, baseUrl } = name;
  const previous = settings.stored.keys?.[kind];
  if (inKeychain) await (await import("../keychain.ts")).storeInKeychain(io, name, key);
  const stored: ProfileKey = inKeychain ? { keychain: true, baseUrl } : { key, baseUrl };
  // The profile no longer belongs to the database of `server start`, which could otherwise replace the key.
  await updateProfile(io.configDir, profile, ({ database: _, ...existing }) => ({
    ...existing,
    baseUrl,
    keys: { ...existing.keys, [kind]: stored },
  }));
  await makeDefaultIfFirst(io.configDir, profile);
  if (previous && "keychain" in previous && !(inKeychain && previous.baseUrl === baseUrl)) {
    const { removeFromKeychain } = await import("../keychain.ts");
    await removeFromKeychain(io, { ...name, baseUrl: previous.baseUrl }).catch((error: CliError) =>
      context.notify(`Warning: the previous key is still in the keychain: ${error.message}`),
    );
  }
  return inKeychain ? "the keychain" : configPath(io.configDir);
}

/** The URL of the service. At a terminal, the URL of the profile is only the default answer. */
async function resolveBaseUrl({ io, settings }: Context): Promise<string> {
  const { baseUrl, profile, stored } = settings;
  const isNamed = baseUrl !== null && baseUrl.source !== describeProfile(profile.value);
  if (isNamed || !io.stdin.isTTY) return requireBaseUrl(settings);
  return checkBaseUrl({ value: await askBaseUrl(io, stored.baseUrl), source: null }, settings.allowHttp);
}

async function countGames(context: Context, baseUrl: string, key: string): Promise<number> {
  const options = { ...(await context.clientOptionsWithoutKey(baseUrl)), key };
  try {
    const { games: owned } = await createClient({ listGames: games.listGames }, options).listGames();
    return owned.length;
  } catch (error) {
    throw explainKeyError(error, "management");
  }
}

/** Sends an empty telemetry request: the service rejects its body only after it has accepted the key. */
async function checkIngestKey(context: Context, baseUrl: string, key: string): Promise<null> {
  const options = { ...(await context.clientOptionsWithoutKey(baseUrl)), key };
  try {
    await sendRequest("POST", "/api/telemetry", {}, options);
  } catch (error) {
    if (error instanceof ClientError && error.code === "bad_request") return null;
    throw explainKeyError(error, "ingest");
  }
  return null;
}

export const commands = [loginCommand];
