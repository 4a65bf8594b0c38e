/** The introduction that `playtest` without arguments prints at a terminal before there is a key. */
import { readConfig } from "./config-file.ts";
import type { Io } from "./io.ts";

export const WELCOME = `playtest shows what players did in your playtests, and where they got stuck.

Connect to your service:
  playtest login                    prompts for its URL and a management key

Or try the demo on this machine first:
  playtest server start --demo      then, in another terminal: playtest status

Run \`playtest --help\` to list all commands.
`;

/** Whether any key is configured. An unreadable config file counts as having one, so that its error is shown. */
export function hasKey({ env, configDir }: Pick<Io, "env" | "configDir">): boolean {
  if (env.PLAYTEST_KEY || env.PLAYTEST_INGEST_KEY) return true;
  try {
    const profiles = Object.values(readConfig(configDir).profiles ?? {});
    return profiles.some(({ keys }) => keys?.management ?? keys?.ingest);
  } catch {
    return true;
  }
}
