/** Start-up: how long a command line takes from its start to its end, against Node doing nothing. */
import { spawn } from "node:child_process";
import { type Case, medians, ms, of, print, ratio, timed } from "./measure.ts";
import { GAME } from "./play.ts";
import { inFolder, plainEnv, program, startService } from "./servers.ts";

const FLOOR = "node -e 0";
const LINES = ["--version", "--help", "builds compare --help", "games list", "__complete games -- games get"];

/** Measures and prints. */
export async function benchStartUp(quick: boolean): Promise<void> {
  await inFolder(async (folder) => {
    const service = await startService(folder, ":memory:", GAME);
    try {
      const env = plainEnv({
        XDG_CONFIG_HOME: folder,
        XDG_STATE_HOME: folder,
        PLAYTEST_NO_COMPLETION_REFRESH: "1",
        PLAYTEST_BASE_URL: service.url,
        PLAYTEST_KEY: service.managementKey,
      });
      const cases: Case[] = [
        { name: FLOOR, run: () => run(["-e", "0"], env) },
        ...LINES.map((line) => ({ name: line, run: () => run([program, ...line.split(" ")], env) })),
      ];
      const measured = await medians(cases, quick ? 15 : 60, 3);
      const floor = of(measured, FLOOR);
      const rows = LINES.map((line) => [
        `playtest ${line}`,
        ms(of(measured, line)),
        ratio(of(measured, line) / floor),
      ]);
      print(`Start-up, against \`${FLOOR}\``, [
        ["", "median", "ratio"],
        [FLOOR, ms(floor), ratio(1)],
        ...rows,
      ]);
    } finally {
      await service.stop();
    }
  });
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return await timed(
    () =>
      new Promise<void>((resolve, reject) => {
        const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
        child.stdout.resume();
        child.once("error", reject);
        child.once("close", (code) =>
          code === 0 ? resolve() : reject(new Error(`${args.join(" ")}: ${code}`)),
        );
      }),
  );
}
