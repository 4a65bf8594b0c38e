/** Home folders with a config file. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ConfigFile } from "../../src/cli/config-file.ts";
import { freshFolder } from "../harness.ts";

/** The path of the config file in a home folder. */
export const configFile = (home: string) => join(home, "config", "config.json");

/** Creates a home folder with a config file. */
export function homeWith(config: ConfigFile | string): string {
  const home = freshFolder();
  mkdirSync(join(home, "config"), { recursive: true });
  writeFileSync(configFile(home), typeof config === "string" ? config : JSON.stringify(config));
  return home;
}

/** Reads the config file in a home folder. */
export function configIn(home: string): ConfigFile {
  return JSON.parse(readFileSync(configFile(home), "utf8"));
}
