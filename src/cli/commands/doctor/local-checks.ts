/** The checks without a service: files, settings, proxies, certificates, the database driver, versions, the terminal. */
import { accessSync, constants, statSync } from "node:fs";
import { version } from "../../../shared/version.prepared.ts";
import { configPath, readConfig } from "../../config-file.ts";
import type { Context } from "../../context.ts";
import type { Io } from "../../io.ts";
import { readProxies } from "../../proxies.ts";
import { redactUrl } from "../../public-url.ts";
import { readRepoFile } from "../../repo-file.ts";
import { describeProfile, findMissingProfile, requireBaseUrl, resolveSettings } from "../../settings.ts";
import { type Check, failFromError, ok, warn, warnFromError } from "./check.ts";

/** Checks that the config file can be read, and only by its owner. */
export function checkConfigFile({ configDir, platform }: Io): Check {
  const name = "config file";
  const path = configPath(configDir);
  try {
    const { profiles = {} } = readConfig(configDir);
    const mode = readMode(path);
    if (mode === null) return ok(name, `${path} (does not exist yet)`, { path, mode: null, profiles: 0 });
    const count = Object.keys(profiles).length;
    const octal = mode.toString(8).padStart(4, "0");
    const facts = { path, mode: octal, profiles: count };
    const found = `${path} (mode ${octal}, ${count} ${count === 1 ? "profile" : "profiles"})`;
    const isPrivate = platform.os === "win32" || (mode & 0o077) === 0;
    if (isPrivate) return ok(name, found, facts);
    return warn(name, `${found}: other users can read its keys`, `Run \`chmod 600 ${path}\`.`, facts);
  } catch (error) {
    return failFromError(name, error, { path });
  }
}

function readMode(path: string): number | null {
  try {
    return statSync(path).mode & 0o777;
  } catch {
    return null;
  }
}

/** Validates the settings like other commands, without ignoring invalid values, and checks that the profile exists. */
export function checkSettings({ io, settings }: Context): Check {
  try {
    const resolved = resolveSettings(settings.flags, io, readConfig(io.configDir));
    const { profile } = resolved;
    const missing = findMissingProfile(resolved);
    if (missing) return failFromError("settings", missing, { profile: profile.value });
    if (resolved.baseUrl) requireBaseUrl(resolved);
    return ok("settings", `Valid (${describeProfile(profile.value)})`, { profile: profile.value });
  } catch (error) {
    return failFromError("settings", error);
  }
}

export function checkRepoFile({ cwd }: Io): Check {
  const name = "repository file";
  try {
    const file = readRepoFile(cwd);
    if (!file) return ok(name, "No playtest.config.json in this folder or its parents", { path: null });
    const { path, unknown } = file;
    if (unknown.length === 0) return ok(name, path, { path });
    const found = `${path} contains unknown fields: ${unknown.join(", ")}`;
    return warn(name, found, "Remove the unknown fields.", { path });
  } catch (error) {
    return failFromError(name, error);
  }
}

/** Checks the proxy settings. Passwords are not shown. */
export function checkProxies({ env }: Io): Check {
  const name = "proxies";
  try {
    const proxies = Object.values(readProxies(env)).filter((setting) => setting !== null);
    const facts = Object.fromEntries(proxies.map(({ source, value }) => [source, redactUrl(value)]));
    const found = Object.entries(facts).map(([source, value]) => `${source}=${value}`);
    return ok(name, found.join(", ") || "No proxy", facts);
  } catch (error) {
    return failFromError(name, error);
  }
}

/** Checks NODE_EXTRA_CA_CERTS. Node.js reads the file itself, and continues without it if it cannot. */
export function checkCertificates({ env }: Io): Check {
  const name = "certificates";
  const path = env.NODE_EXTRA_CA_CERTS;
  if (!path) return ok(name, "Default certificate authorities of Node.js", { path: null });
  try {
    accessSync(path, constants.R_OK);
    return ok(name, `Default certificate authorities of Node.js, and those in ${path}`, { path });
  } catch {
    const hint = "Set NODE_EXTRA_CA_CERTS to a readable PEM file, or unset it.";
    return warn(name, `Cannot read ${path} (NODE_EXTRA_CA_CERTS)`, hint, { path });
  }
}

/** Checks the database driver. A missing one is only a warning, because only `server` and `admin` need it. */
export async function checkDriver(): Promise<Check> {
  const name = "database driver";
  try {
    const { loadDriver } = await import("../server/driver.ts");
    const driver = await loadDriver();
    return ok(name, driver.name, { driver: driver.name });
  } catch (error) {
    return warnFromError(name, error, { driver: null });
  }
}

export function checkVersions({ platform: { node, os, arch } }: Io): Check {
  return ok("versions", `playtest ${version}, Node.js ${node}, ${os} ${arch}`, {
    playtest: version,
    node,
    os,
    arch,
  });
}

const COLOR_LEVELS = ["no color", "16 colors", "256 colors", "all colors"] as const;

export function checkTerminal({ io, render }: Context): Check {
  const { out, err, stdin, env } = io;
  const facts = {
    stdout: out.isTTY,
    stderr: err.isTTY,
    stdin: stdin.isTTY,
    columns: out.columns ?? null,
    colors: render.color,
    term: env.TERM ?? null,
  };
  const found = out.isTTY
    ? `${render.width} columns, ${COLOR_LEVELS[render.color]}, TERM=${env.TERM ?? ""}`
    : `stdout is not a terminal, ${COLOR_LEVELS[render.color]}`;
  return ok("terminal", found, facts);
}
