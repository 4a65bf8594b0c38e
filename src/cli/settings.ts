/** Settings: flag, then environment, then the repository's file, then the profile, then the default; each knows where it came from. */
import type { KeyKind } from "../contract/define.ts";
import { fail } from "../contract/errors.ts";
import { type ConfigFile, configPath, type Profile } from "./config-file.ts";
import { parseDuration } from "./flags.ts";
import { type Format, formats, type GlobalValues } from "./global-flags.ts";
import type { Io } from "./io.ts";

/** Where a value came from, in words. */
export type Source = string;

export interface Setting<T> {
  readonly value: T;
  readonly source: Source;
}

export interface Settings {
  readonly profile: Setting<string>;
  /** Null where nothing names a service. */
  readonly baseUrl: Setting<string> | null;
  readonly format: Setting<Format>;
  readonly tz: Setting<string>;
  readonly timeoutMs: Setting<number>;
  readonly maxWaitMs: Setting<number>;
  readonly allowHttp: boolean;
  readonly flags: GlobalValues;
  /** The profile's own values. */
  readonly stored: Profile;
}

export const DEFAULT_PROFILE = "default";
const DEFAULT_TIMEOUT = "30s";
const DEFAULT_MAX_WAIT = "2m";

/** Resolves what needs no file of the repository. Throws `usage` or `config` for values that cannot be. */
export function resolveSettings(flags: GlobalValues, io: Pick<Io, "env" | "configDir">, config: ConfigFile): Settings {
  const profile = first<string>(
    ["--profile", flags.profile],
    ["PLAYTEST_PROFILE", io.env.PLAYTEST_PROFILE],
    [configPath(io.configDir), config.profile],
    ["default", DEFAULT_PROFILE],
  );
  const stored = config.profiles?.[profile.value] ?? {};
  const own = `profile ${profile.value}`;
  const named = profile.source === "--profile" || profile.source === "PLAYTEST_PROFILE";
  if (named && !config.profiles?.[profile.value] && !flags.baseUrl && !io.env.PLAYTEST_BASE_URL) {
    throw fail("config", { message: `There is no profile ${JSON.stringify(profile.value)}`, hint: "`playtest profiles` lists them; `playtest login --profile <name>` makes one." });
  }
  const allowHttp = flags.allowHttp;
  const baseUrl = optional<string>(
    ["--base-url", flags.baseUrl],
    ["PLAYTEST_BASE_URL", io.env.PLAYTEST_BASE_URL],
    [own, stored.baseUrl],
  );
  return {
    profile,
    baseUrl: baseUrl && { ...baseUrl, value: checkBaseUrl(baseUrl, allowHttp) },
    format: formatOf(flags, own, stored),
    tz: zoneOf(first<string>(["--tz", flags.tz], [own, stored.tz], ["default", "UTC"])),
    timeoutMs: durationOf(flags.timeout, "--timeout", own, stored.timeout, DEFAULT_TIMEOUT),
    maxWaitMs: durationOf(flags.maxWait, "--max-wait", own, stored.maxWait, DEFAULT_MAX_WAIT),
    allowHttp,
    flags,
    stored,
  };
}

type Candidate<T> = readonly [source: Source, value: T | undefined];

function optional<T>(...candidates: Candidate<T>[]): Setting<T> | null {
  for (const [source, value] of candidates) if (value !== undefined && value !== "") return { value, source };
  return null;
}

function first<T>(...candidates: [...Candidate<T>[], readonly [Source, T]]): Setting<T> {
  const [source, value] = candidates.at(-1) as readonly [Source, T];
  return optional(...candidates) ?? { value, source };
}

function formatOf(flags: GlobalValues, own: Source, stored: Profile): Setting<Format> {
  if (flags.json && flags.format !== undefined && flags.format !== "json") {
    throw fail("usage", { message: `--json and --format ${flags.format} exclude each other` });
  }
  const kept = formats.find((format) => format === stored.format);
  return first<Format>(
    ["--json", flags.json ? "json" : undefined],
    ["--format", flags.format],
    ["--jq", flags.jq === undefined ? undefined : "json"],
    [own, kept],
    ["default", "table"],
  );
}

function durationOf(
  flag: number | undefined,
  name: string,
  own: Source,
  stored: string | undefined,
  standard: string,
): Setting<number> {
  const kept = stored === undefined ? undefined : (parseDuration(stored) ?? undefined);
  return first<number>([name, flag], [own, kept], ["default", parseDuration(standard) ?? 0]);
}

function zoneOf(setting: Setting<string>): Setting<string> {
  try {
    new Intl.DateTimeFormat("en", { timeZone: setting.value });
    return setting;
  } catch {
    throw fail("usage", { message: `${setting.source} ${JSON.stringify(setting.value)} is not a time zone, such as Europe/Berlin` });
  }
}

/** The base URL without a slash at its end. Throws `config` for what keys must not be sent to. */
export function checkBaseUrl({ value, source }: Setting<string>, allowHttp: boolean): string {
  const refuse = (why: string, hint = "Give an origin such as https://playtest.example.com.") =>
    fail("config", { message: `The base URL ${JSON.stringify(value)} (from ${source}) ${why}`, hint });
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

/** Whether a host is this machine itself. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** The base URL that is set. Throws `config` telling the two ways to set it. */
export function requireBaseUrl(settings: Settings): string {
  if (settings.baseUrl) return settings.baseUrl.value;
  throw fail("config", {
    message: "No service is set",
    hint: "Log in with `playtest login --base-url <url>`, or try it out: `playtest server start --demo`.",
  });
}

const keyVariables = { management: "PLAYTEST_KEY", ingest: "PLAYTEST_INGEST_KEY" } as const;

/** The key of a kind for the base URL. Throws `config` where there is none, or it was stored for another address. */
export function requireKey(settings: Settings, env: Io["env"], kind: KeyKind, baseUrl: string): Setting<string> {
  const variable = keyVariables[kind];
  const given = env[variable];
  if (given) return { value: given, source: variable };
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
  return { value: stored.key, source: `profile ${profile}` };
}

/** The game that is meant, or null. */
export async function findGame(settings: Settings, io: Pick<Io, "env" | "cwd">): Promise<Setting<string> | null> {
  const near = optional<string>(["--game", settings.flags.game], ["PLAYTEST_GAME", io.env.PLAYTEST_GAME]);
  if (near) return near;
  const { readRepoFile } = await import("./repo-file.ts");
  const repo = readRepoFile(io.cwd);
  return optional<string>(
    [repo?.path ?? "", repo?.game],
    [`profile ${settings.profile.value}`, settings.stored.game],
  );
}

/** The game that is meant. Throws `usage` telling the ways to name it. */
export async function requireGame(settings: Settings, io: Pick<Io, "env" | "cwd">): Promise<string> {
  const game = await findGame(settings, io);
  if (game) return game.value;
  throw fail("usage", {
    message: "Which game? None is named",
    hint: "Name it with --game, PLAYTEST_GAME, `playtest config set game <slug>` or playtest.config.json.",
  });
}
