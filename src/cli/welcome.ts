/** What `playtest` alone says at a terminal before there is a key: the two ways to start. */
import { readConfig } from "./config-file.ts";
import type { Io } from "./io.ts";

export const WELCOME = `playtest tells what players did in your playtests, and where they got stuck.

Start with your studio:
  playtest login                    asks for its address and a management key

Or have a look around first, with a demo studio on this machine:
  playtest server start --demo      and in another terminal: playtest games list

\`playtest --help\` lists every command.
`;

/** Whether any key is at hand. A config file that cannot be read may hold one. */
export function hasKey({ env, configDir }: Pick<Io, "env" | "configDir">): boolean {
  if (env.PLAYTEST_KEY || env.PLAYTEST_INGEST_KEY) return true;
  try {
    const profiles = Object.values(readConfig(configDir).profiles ?? {});
    return profiles.some(({ keys }) => keys?.management ?? keys?.ingest);
  } catch {
    return true;
  }
}
