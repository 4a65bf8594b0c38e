/** Startup: the duration of short commands, compared with starting Node alone. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Case, getMedian, medians, ms, print, ratio, timed } from "./measure.ts";
import { inFolder, plainEnv, program, startService } from "./servers.ts";
import { recordTarget } from "./targets.ts";
import { GAME } from "./telemetry.ts";

const FLOOR = "node -e 0";
/** The single executable of `npm run build:executable`. It is measured if it was built. */
const EXECUTABLE = join(dirname(program), "..", "dist-executable", "playtest");
const EXECUTABLE_LINES = ["--version", "games list"];
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
        { name: FLOOR, run: () => run(process.execPath, ["-e", "0"], env) },
        ...LINES.map((line) => ({
          name: line,
          run: () => run(process.execPath, [program, ...line.split(" ")], env),
        })),
        ...(existsSync(EXECUTABLE) ? EXECUTABLE_LINES : []).map((line) => ({
          name: toExecutableName(line),
          run: () => run(EXECUTABLE, line.split(" "), env),
        })),
      ];
      const measured = await medians(cases, quick ? 15 : 60, 3);
      const floor = getMedian(measured, FLOOR);
      recordTarget("version", getMedian(measured, "--version") / floor);
      recordTarget("help", getMedian(measured, "--help") / floor);
      recordTarget("query", getMedian(measured, "games list") / floor);
      const formatResult = (name: string) => [
        ms(getMedian(measured, name)),
        ratio(getMedian(measured, name) / floor),
      ];
      const rows = [
        ...LINES.map((line) => [`playtest ${line}`, ...formatResult(line)]),
        ...EXECUTABLE_LINES.map(toExecutableName).map((name) => [
          name,
          ...(measured.has(name) ? formatResult(name) : ["not built", "-"]),
        ]),
      ];
      print(`Startup time, compared with \`${FLOOR}\``, [
        ["", "median", "ratio"],
        [FLOOR, ms(floor), ratio(1)],
        ...rows,
      ]);
    } finally {
      await service.stop();
    }
  });
}

const toExecutableName = (line: string) => `executable: playtest ${line}`;

async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return await timed(
    () =>
      new Promise<void>((resolve, reject) => {
        const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] });
        child.stdout.resume();
        child.once("error", reject);
        child.once("close", (code) =>
          code === 0 ? resolve() : reject(new Error(`${args.join(" ")}: ${code}`)),
        );
      }),
  );
}
