/** Homes with a config file in them. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ConfigFile } from "../../src/cli/config-file.ts";
import { freshFolder } from "../harness.ts";

/** Where a home's config file is. */
export const configFile = (home: string) => join(home, "config", "config.json");

/** A home whose config file holds this. */
export function homeWith(config: ConfigFile | string): string {
  const home = freshFolder();
  mkdirSync(join(home, "config"), { recursive: true });
  writeFileSync(configFile(home), typeof config === "string" ? config : JSON.stringify(config));
  return home;
}

/** What a home's config file holds. */
export function configIn(home: string): ConfigFile {
  return JSON.parse(readFileSync(configFile(home), "utf8"));
}
