/** The checks that need no service: files, settings, proxies, certificates, the database driver, versions, the terminal. */
import { accessSync, constants, statSync } from "node:fs";
import { configPath, readConfig } from "../../config-file.ts";
import { version } from "../../constants.generated.ts";
import type { Context } from "../../context.ts";
import type { Io } from "../../io.ts";
import { readProxies } from "../../proxies.ts";
import { readRepoFile } from "../../repo-file.ts";
import { redactCredentials, resolveSettings } from "../../settings.ts";
import { type Check, failFromError, ok, warn, warnFromError } from "./check.ts";

/** The config file: that it can be read, and by its owner alone. */
export function checkConfigFile({ configDir, platform }: Io): Check {
  const name = "config file";
  const path = configPath(configDir);
  try {
    const { profiles = {} } = readConfig(configDir);
    const mode = readMode(path);
    if (mode === null) return ok(name, `${path} (none yet)`, { path, mode: null, profiles: 0 });
    const count = Object.keys(profiles).length;
    const octal = mode.toString(8).padStart(4, "0");
    const facts = { path, mode: octal, profiles: count };
    const found = `${path} (mode ${octal}, ${count} ${count === 1 ? "profile" : "profiles"})`;
    const open = platform.os !== "win32" && (mode & 0o077) !== 0;
    if (!open) return ok(name, found, facts);
    return warn(name, `${found}: others can read the keys in it`, `chmod 600 ${path}`, facts);
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

/** The settings as every other command takes them: without mending. */
export function checkSettings({ io, settings }: Context): Check {
  try {
    const { profile } = resolveSettings(settings.flags, io, readConfig(io.configDir));
    return ok("settings", `Valid, of profile ${profile.value}`, { profile: profile.value });
  } catch (error) {
    return failFromError("settings", error);
  }
}

export function checkRepoFile({ cwd }: Io): Check {
  const name = "repository file";
  try {
    const file = readRepoFile(cwd);
    if (!file) return ok(name, "No playtest.config.json here or above", { path: null });
    const { path, unknown } = file;
    if (unknown.length === 0) return ok(name, path, { path });
    return warn(name, `${path} sets ${unknown.join(", ")}, which means nothing here`, "Remove it.", { path });
  } catch (error) {
    return failFromError(name, error);
  }
}

/** The proxies in force, their passwords left out. */
export function checkProxies({ env }: Io): Check {
  const name = "proxies";
  try {
    const named = Object.values(readProxies(env)).filter((setting) => setting !== null);
    const facts = Object.fromEntries(named.map(({ source, value }) => [source, redactCredentials(value)]));
    const told = Object.entries(facts).map(([source, value]) => `${source}=${value}`);
    return ok(name, told.join(", ") || "None; requests go straight to the service", facts);
  } catch (error) {
    return failFromError(name, error);
  }
}

/** Node itself reads the file, and goes on without a word to stdout where it cannot. */
export function checkCertificates({ env }: Io): Check {
  const name = "certificates";
  const path = env.NODE_EXTRA_CA_CERTS;
  if (!path) return ok(name, "Node's own authorities", { path: null });
  try {
    accessSync(path, constants.R_OK);
    return ok(name, `Node's own authorities and those of ${path}`, { path });
  } catch {
    const hint = "Name a readable PEM file in NODE_EXTRA_CA_CERTS, or unset it.";
    return warn(name, `${path} (NODE_EXTRA_CA_CERTS) cannot be read`, hint, { path });
  }
}

/** Only `server` and `admin` need the driver, so that its absence is no failure. */
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
  return ok("versions", `playtest ${version}, Node ${node}, ${os} ${arch}`, {
    playtest: version,
    node,
    os,
    arch,
  });
}

const COLOR_LEVELS = ["no colours", "16 colours", "256 colours", "all colours"] as const;

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
    : `stdout is no terminal, ${COLOR_LEVELS[render.color]}`;
  return ok("terminal", found, facts);
}
