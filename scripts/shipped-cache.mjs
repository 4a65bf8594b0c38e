/** Creates the shipped code cache: runs the built program once and copies the cache that it wrote for its user. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const games = [1, 2].map((n) => ({
  id: `game_${n}`,
  userId: "user_1",
  name: `Game ${n}`,
  slug: `game-${n}`,
  createdAt: n * 86_400_000,
}));

/**
 * Writes the cache into `dist`. If the program cannot run here, the cache is omitted, and the first start of each user
 * creates one.
 */
export async function createShippedCache(dist, id) {
  const home = await mkdtemp(join(tmpdir(), "playtest-build-"));
  const server = createServer((_, response) => response.end(JSON.stringify({ games })));
  try {
    await new Promise((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      LOCALAPPDATA: home,
      XDG_CACHE_HOME: home,
      XDG_CONFIG_HOME: home,
      PLAYTEST_BASE_URL: `http://127.0.0.1:${server.address().port}`,
      PLAYTEST_KEY: "none",
    };
    await promisify(execFile)(process.execPath, [join(dist, "bin.js"), "games", "list"], { env });
    const folder = join(home, "playtest", "code");
    for (const name of await readdir(folder)) {
      if (!name.includes(id)) continue;
      const bytes = await readFile(join(folder, name));
      // The user's cache contains the data twice; see code-cache.ts.
      await writeFile(join(dist, name), bytes.subarray(0, bytes.length / 2));
    }
  } catch (error) {
    console.warn(`The build has no code cache: ${error.message}`);
  } finally {
    server.close();
    await rm(home, { recursive: true, force: true });
  }
}
