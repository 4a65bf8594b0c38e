/** Settings: flag, then environment, then the repository's file, then the profile, then the default; each knows where it came from. */
import type { ApiKeyKind } from "../contract/define.ts";
import { DURATION_SYNTAX, parseDuration } from "../shared/durations.ts";
import { type ConfigFile, configPath, type Profile } from "./config-file.ts";
import { fail } from "./errors.ts";
import { type GlobalFlagValues, type OutputFormat, outputFormats } from "./global-flags.ts";
import type { Io } from "./io.ts";
import {
  findBaseUrl,
  findFirst,
  findNamedGame,
  findProfile,
  findStoredGame,
  type Setting,
  type SettingCandidate,
  type SettingSource,
} from "./precedence.ts";

export interface Settings {
  readonly profile: Setting<string>;
  /** Null where nothing names a service. */
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
 * Resolves what needs no file of the repository. Throws `usage` or `config` for values that cannot be; where
 * `mending`, those of the profile are passed over instead, so that they can be changed.
 */
export function resolveSettings(
  flags: GlobalFlagValues,
  io: Pick<Io, "env" | "configDir">,
  config: ConfigFile,
  mending = false,
): Settings {
  const profile = findProfile(flags.profile, io.env, [configPath(io.configDir), config.profile]);
  const stored = config.profiles?.[profile.value] ?? {};
  const own = `profile ${profile.value}`;
  const allowHttp = flags.allowHttp;
  const baseUrl = findBaseUrl(flags.baseUrl, io.env, [own, mending ? undefined : stored.baseUrl]);
  const kept = createProfileReader(stored, own, mending);
  const keptTime = (field: keyof Profile) => kept(field, parseDuration, DURATION_SYNTAX);
  const tz = kept("tz", (zone) => (isZone(zone) ? zone : null), ZONE_SYNTAX);
  return {
    profile,
    baseUrl: baseUrl && { ...baseUrl, value: checkBaseUrl(baseUrl, allowHttp) },
    format: resolveFormat(flags, own, kept),
    tz: pickSetting<string>(["--tz", checkZone(flags.tz)], [own, tz], ["default", "UTC"]),
    timeoutMs: pickSetting<number>(
      ["--timeout", flags.timeout],
      [own, keptTime("timeout")],
      ["default", DEFAULT_TIMEOUT_MS],
    ),
    maxWaitMs: pickSetting<number>(
      ["--max-wait", flags.maxWait],
      [own, keptTime("maxWait")],
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

/** Reads what a profile holds: undefined where it holds nothing. */
type ReadProfileValue = <T>(
  field: keyof Profile,
  read: (text: string) => T | null,
  allowed: string,
) => T | undefined;

function createProfileReader(stored: Profile, own: SettingSource, mending: boolean): ReadProfileValue {
  return (field, read, allowed) => {
    const given: unknown = stored[field];
    if (given === undefined) return undefined;
    const value = typeof given === "string" ? read(given) : null;
    if (value !== null) return value;
    if (mending) return undefined;
    throw fail("config", {
      message: `${field} of ${own}: ${JSON.stringify(given)} is not ${allowed}`,
      hint: "Mend it with `playtest config set`, or remove it with `playtest config unset`.",
    });
  };
}

function resolveFormat(
  flags: GlobalFlagValues,
  own: SettingSource,
  kept: ReadProfileValue,
): Setting<OutputFormat> {
  if (flags.json && flags.format !== undefined && flags.format !== "json") {
    throw fail("usage", { message: `--json and --format ${flags.format} exclude each other` });
  }
  const read = (text: string) => outputFormats.find((format) => format === text) ?? null;
  return pickSetting<OutputFormat>(
    ["--json", flags.json ? "json" : undefined],
    ["--format", flags.format],
    ["--jq", flags.jq === undefined ? undefined : "json"],
    [own, kept("format", read, `one of ${outputFormats.join(", ")}`)],
    ["default", "table"],
  );
}

const ZONE_SYNTAX = "a time zone, such as Europe/Berlin";

/** Whether the system knows a zone: its table takes longer to load than all else, so UTC is not looked up. */
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

/** The base URL without a slash at its end. Throws `config` for what keys must not be sent to. */
export function checkBaseUrl({ value, source }: Setting<string>, allowHttp: boolean): string {
  const refuse = (why: string, hint = "Give an origin such as https://playtest.example.com.") =>
    fail("config", {
      message: `The base URL ${JSON.stringify(redactCredentials(value))} (from ${source}) ${why}`,
      hint,
    });
  if (!URL.canParse(value)) throw refuse("is not a URL");
  const url = new URL(value);
  if (url.protocol !== "https:" && url.protocol !== "http:") throw refuse("is neither https nor http");
  if (url.username || url.password) throw refuse("holds a user name or password");
  if (url.search || url.hash) throw refuse("holds a query or fragment");
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowHttp) {
    throw refuse("would send the key unencrypted", "Use https, or accept the risk with --allow-http.");
  }
  return url.href.replace(/\/+$/, "");
}

/** An address without the user name and password in it. */
export function redactCredentials(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/?#]*@/i, "$1");
}

/** Whether a host is this machine itself. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** The base URL that is set. Throws `config` telling the two ways to set it. */
export function requireBaseUrl(settings: Settings): string {
  const { baseUrl, profile, stored } = settings;
  if (baseUrl) return baseUrl.value;
  if (profile.source !== "default" && Object.keys(stored).length === 0) {
    throw fail("config", {
      message: `There is no profile ${JSON.stringify(profile.value)} (named by ${profile.source})`,
      hint: "`playtest profiles` lists them; `playtest login --profile <name>` makes one.",
    });
  }
  throw fail("config", {
    message: "No service is set",
    hint: "Log in with `playtest login --base-url <url>`, or try it out: `playtest server start --demo`.",
  });
}

/** The variables that hold keys. */
export const keyVariables = { management: "PLAYTEST_KEY", ingest: "PLAYTEST_INGEST_KEY" } as const;

/**
 * The key of a kind for the base URL. Throws `config` where there is none, it was stored for another address, or the
 * keychain does not give it.
 */
export async function requireKey(
  settings: Settings,
  io: Pick<Io, "env" | "signal">,
  kind: ApiKeyKind,
  baseUrl: string,
): Promise<Setting<string>> {
  const variable = keyVariables[kind];
  const given = io.env[variable];
  if (given) return checkKey(kind, { value: given, source: variable });
  const stored = settings.stored.keys?.[kind];
  const profile = settings.profile.value;
  const login = `playtest login${kind === "ingest" ? " --ingest" : ""} --base-url ${baseUrl}`;
  if (!stored) {
    throw fail("config", {
      message: `No ${kind} key for ${baseUrl}`,
      hint: `Store one with \`${login}\`, or set ${variable}.`,
    });
  }
  if (stored.baseUrl !== baseUrl) {
    throw fail("config", {
      message: `The ${kind} key of profile ${profile} is for ${stored.baseUrl}, and is not sent to ${baseUrl}`,
      hint: `Store one for it with \`${login} --profile <name>\`, or set ${variable}.`,
    });
  }
  if ("key" in stored) return checkKey(kind, { value: stored.key, source: `profile ${profile}` });
  const { readFromKeychain } = await import("./keychain.ts");
  const value = await readFromKeychain(io, { profile, kind, baseUrl });
  return checkKey(kind, { value, source: `profile ${profile}, in the keychain` });
}

/** Throws `config` for a key that no header can carry, such as one with a line feed at its end. */
function checkKey(kind: ApiKeyKind, key: Setting<string>): Setting<string> {
  if (/^[\x21-\x7e]+$/.test(key.value)) return key;
  throw fail("config", {
    message: `The ${kind} key (from ${key.source}) holds spaces or characters that no key has`,
    hint: "Copy it again, without anything around it.",
  });
}

/** The game that is meant, or null; `warn` is told of what a repository's file holds in vain. */
export async function findGame(
  settings: Settings,
  io: Pick<Io, "env" | "cwd">,
  warn: (line: string) => void,
): Promise<Setting<string> | null> {
  const near = findNamedGame(settings.flags.game, io.env);
  if (near) return near;
  const { readRepoFile } = await import("./repo-file.ts");
  const repo = readRepoFile(io.cwd);
  for (const name of repo?.unknown ?? []) {
    warn(`Warning: ${repo?.path} sets ${JSON.stringify(name)}, which means nothing here`);
  }
  return findStoredGame(
    [repo?.path ?? "", repo?.game],
    [`profile ${settings.profile.value}`, settings.stored.game],
  );
}
