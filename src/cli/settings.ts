/** Settings by precedence: flag, environment, repository file, profile, default. Each setting records its source. */
import type { ApiKeyKind } from "../contract/define.ts";
import { DURATION_SYNTAX, parseDuration } from "../shared/durations.ts";
import { trimEndOf } from "../shared/trim.ts";
import { type ConfigFile, configPath, type Profile } from "./config-file.ts";
import { CliError, fail } from "./errors.ts";
import { type GlobalFlagValues, type OutputFormat, outputFormats } from "./global-flags.ts";
import type { Io } from "./io.ts";
import {
  findBaseUrl,
  findFirst,
  findNamedGame,
  findProfile,
  type Setting,
  type SettingCandidate,
  type SettingSource,
} from "./precedence.ts";
import { redactUrl } from "./public-url.ts";
import { formatFlag } from "./suggested-commands.ts";

export interface Settings {
  readonly profile: Setting<string>;
  /** Not validated before it is used, because many commands do not need it. Null if no service is configured. */
  readonly baseUrl: Setting<string> | null;
  readonly format: Setting<OutputFormat>;
  readonly tz: Setting<string>;
  readonly timeoutMs: Setting<number>;
  readonly maxWaitMs: Setting<number>;
  readonly allowHttp: boolean;
  readonly flags: GlobalFlagValues;
  /** The profile's own values. */
  readonly stored: Profile;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_WAIT_MS = 120_000;

/**
 * Resolves the settings that do not depend on the repository file. Throws `usage` or `config` for invalid values, except
 * for the base URL. With
 * `ignoreInvalidProfile`, invalid values of the profile are ignored instead, so that commands can fix them.
 */
export function resolveSettings(
  flags: GlobalFlagValues,
  io: Pick<Io, "env" | "configDir">,
  config: ConfigFile,
  ignoreInvalidProfile = false,
): Settings {
  const profile = findProfile(flags.profile, io.env, [configPath(io.configDir), config.profile]);
  const stored = config.profiles?.[profile.value] ?? {};
  const source = describeProfile(profile.value);
  const allowHttp = flags.allowHttp;
  const readValue = createProfileReader(stored, source, ignoreInvalidProfile);
  const baseUrl = findBaseUrl(flags.baseUrl, io.env, [source, readValue("baseUrl", (url) => url, "a URL")]);
  const readDuration = (field: keyof Profile) => readValue(field, parseDuration, DURATION_SYNTAX);
  const tz = readValue("tz", (zone) => (isZone(zone) ? zone : null), ZONE_SYNTAX);
  return {
    profile,
    baseUrl: baseUrl && { ...baseUrl, value: normalizeBaseUrl(baseUrl.value) },
    format: resolveFormat(flags, source, readValue),
    tz: pickSetting<string>(["--tz", checkZone(flags.tz)], [source, tz], ["default", "UTC"]),
    timeoutMs: pickSetting<number>(
      ["--timeout", flags.timeout],
      [source, readDuration("timeout")],
      ["default", DEFAULT_TIMEOUT_MS],
    ),
    maxWaitMs: pickSetting<number>(
      ["--max-wait", flags.maxWait],
      [source, readDuration("maxWait")],
      ["default", DEFAULT_MAX_WAIT_MS],
    ),
    allowHttp,
    flags,
    stored,
  };
}

function pickSetting<T>(...candidates: [...SettingCandidate<T>[], readonly [SettingSource, T]]): Setting<T> {
  const [source, value] = candidates.at(-1) as readonly [SettingSource, T];
  return findFirst(...candidates) ?? { value, source };
}

/** Reads and validates a value of a profile; undefined if it is not set. */
type ReadProfileValue = <T>(
  field: keyof Profile,
  read: (text: string) => T | null,
  allowed: string,
) => T | undefined;

function createProfileReader(
  stored: Profile,
  source: SettingSource,
  ignoreInvalid: boolean,
): ReadProfileValue {
  return (field, read, allowed) => {
    const raw: unknown = stored[field];
    if (raw === undefined) return undefined;
    const value = typeof raw === "string" ? read(raw) : null;
    if (value !== null) return value;
    if (ignoreInvalid) return undefined;
    throw fail("config", {
      message: `${field} in ${source}: ${JSON.stringify(raw)} is not ${allowed}`,
      hint: "Change it with `playtest config set <name> <value>`, or remove it with `playtest config unset <name>`.",
    });
  };
}

function resolveFormat(
  flags: GlobalFlagValues,
  source: SettingSource,
  readValue: ReadProfileValue,
): Setting<OutputFormat> {
  if (flags.json && flags.format !== undefined && flags.format !== "json") {
    throw fail("usage", { message: `--json cannot be used with --format ${flags.format}` });
  }
  const read = (text: string) => outputFormats.find((format) => format === text) ?? null;
  return pickSetting<OutputFormat>(
    ["--json", flags.json ? "json" : undefined],
    ["--format", flags.format],
    ["--jq", flags.jq === undefined ? undefined : "json"],
    [source, readValue("format", read, `one of ${outputFormats.join(", ")}`)],
    ["default", "table"],
  );
}

const ZONE_SYNTAX = "a time zone such as Europe/Berlin";

/** Whether a time zone exists. UTC is not looked up, because loading the time zone data is slow. */
function isZone(name: string): boolean {
  if (name === "UTC") return true;
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}

function checkZone(name: string | undefined): string | undefined {
  if (name === undefined || isZone(name)) return name;
  throw fail("usage", { message: `--tz ${JSON.stringify(name)} is not ${ZONE_SYNTAX}` });
}

/**
 * The base URL without a trailing slash. Throws `config` if keys must not be sent to it. `source` is null for a value that
 * the user has just typed.
 */
export function checkBaseUrl(
  { value, source }: { readonly value: string; readonly source: SettingSource | null },
  allowHttp: boolean,
): string {
  const invalid = (reason: string, hint = "Use a URL such as https://playtest.example.com.") =>
    fail("config", {
      message:
        source === null
          ? `${JSON.stringify(redactUrl(value))} ${reason}`
          : `The base URL ${JSON.stringify(redactUrl(value))} (from ${source}) ${reason}`,
      hint,
    });
  if (!URL.canParse(value)) throw invalid("is not a URL");
  const url = new URL(value);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw invalid("must start with https:// or http://");
  if (url.username || url.password) throw invalid("must not contain a user name or password");
  if (url.search || url.hash) throw invalid("must not contain a query or fragment");
  if (isUnencrypted(url) && !allowHttp) {
    throw invalid("would send the key unencrypted", "Use https, or add --allow-http to accept the risk.");
  }
  return normalizeBaseUrl(value);
}

/** A URL without a trailing slash. Other text is returned unchanged. */
function normalizeBaseUrl(value: string): string {
  return URL.canParse(value) ? trimEndOf(new URL(value).href, "/") : value;
}

/** Whether keys that are sent to a URL leave this machine unencrypted. */
export function isUnencrypted({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && !isLoopback(hostname);
}

/** Whether a host name refers to this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** The error for a profile that the user named but that does not exist. Null if another source sets the base URL. */
export function findMissingProfile({ baseUrl, profile, stored }: Settings): CliError | null {
  if (baseUrl || profile.source === "default" || Object.keys(stored).length > 0) return null;
  return fail("config", {
    message: `Profile ${JSON.stringify(profile.value)} does not exist (from ${profile.source})`,
    hint:
      `To create it, run \`playtest login${formatFlag("--profile", profile.value) || " --profile <name>"} --base-url <url>\`. ` +
      "To list profiles, run `playtest profiles`.",
  });
}

/** The configured base URL. Throws `config` if there is none, or if keys must not be sent to it. */
export function requireBaseUrl(settings: Settings): string {
  if (settings.baseUrl) return checkBaseUrl(settings.baseUrl, settings.allowHttp);
  const missing = findMissingProfile(settings);
  if (missing) throw missing;
  throw fail("config", {
    message: "No service configured",
    hint: "Run `playtest login --base-url <url>`, or try the demo with `playtest server start --demo`.",
  });
}

/** Why the configured base URL is rejected. Null if it is accepted or not set. */
export function findBaseUrlError(settings: Settings): CliError | null {
  if (!settings.baseUrl) return null;
  try {
    checkBaseUrl(settings.baseUrl, settings.allowHttp);
    return null;
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

/** A profile as the source of a setting, such as `profile "default"`. */
export function describeProfile(name: string): string {
  return `profile ${JSON.stringify(name)}`;
}

export const keyVariables = {
  management: "PLAYTEST_KEY",
  ingest: "PLAYTEST_INGEST_KEY",
  ci: "PLAYTEST_CI_KEY",
} as const;

/**
 * The key of a kind for the base URL. Throws `config` if there is none, if it was stored for another URL, or if the
 * keychain does not return it.
 */
export async function requireKey(
  settings: Settings,
  io: Pick<Io, "env" | "signal" | "interruptible">,
  kind: ApiKeyKind,
  baseUrl: string,
): Promise<Setting<string>> {
  const variable = keyVariables[kind];
  // A secret of a CI job often ends with a line break.
  const value = io.env[variable]?.trim();
  if (value) return checkKey(kind, { value, source: variable });
  if (kind === "ci") {
    throw fail("config", {
      message: `No CI key for ${baseUrl}`,
      hint: `Set ${variable} to a key of \`playtest admin keys create --kind ci\`.`,
    });
  }
  const stored = settings.stored.keys?.[kind];
  const profile = settings.profile.value;
  const source = describeProfile(profile);
  const login = `playtest login${kind === "ingest" ? " --ingest" : ""}${formatFlag("--base-url", baseUrl)}`;
  if (!stored) {
    throw fail("config", {
      message: `No ${kind} key for ${baseUrl}`,
      hint: `Run \`${login}\` or set ${variable}.`,
    });
  }
  if (stored.baseUrl !== baseUrl) {
    throw fail("config", {
      message: `The ${kind} key in ${source} is only for ${stored.baseUrl}, not for ${baseUrl}`,
      hint: `Run \`${login} --profile <name>\` to store a key for it, or set ${variable}.`,
    });
  }
  if ("key" in stored) return checkKey(kind, { value: stored.key, source });
  const { readFromKeychain } = await import("./keychain.ts");
  const secret = await readFromKeychain(io, { profile, kind, baseUrl });
  return checkKey(kind, { value: secret, source: `${source}, in the keychain` });
}

/** Throws `config` for a key that cannot be sent in a header, for example because it ends with a line feed. */
function checkKey(kind: ApiKeyKind, key: Setting<string>): Setting<string> {
  if (/^[\x21-\x7e]+$/.test(key.value)) return key;
  throw fail("config", {
    message: `The ${kind} key (from ${key.source}) contains spaces or invalid characters`,
    hint: "Copy the key again, without surrounding spaces or line breaks.",
  });
}

/** The current game, or null. Calls `warn` for unknown fields in the repository file. */
export async function findGame(
  settings: Settings,
  io: Pick<Io, "env" | "cwd">,
  warn: (line: string) => void,
): Promise<Setting<string> | null> {
  const named = findNamedGame(settings.flags.game, io.env);
  if (named) return named;
  const { readRepoFile } = await import("./repo-file.ts");
  const repo = readRepoFile(io.cwd);
  for (const name of repo?.unknown ?? []) {
    warn(`Warning: ${repo?.path} contains the unknown field ${JSON.stringify(name)}`);
  }
  return findFirst(
    [repo?.path ?? "", repo?.game],
    [describeProfile(settings.profile.value), settings.stored.game],
  );
}
