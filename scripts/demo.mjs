/** The demo: an ephemeral service with a demo studio's play, and what a producer would ask of it. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = "bin/playtest.js";
const root = fileURLToPath(new URL("..", import.meta.url));

const tour = [
  ["Which games are there?", "games list"],
  ["How was the newest build played?", "builds get latest --game ember"],
  ["Where were the players in the new boss room?", "heatmap --game ember --build 0.9.0 --room furnace"],
  ["What did they do most?", "events --game ember --build 0.9.0 --top 10"],
  ["What got better and worse since the last build?", "builds compare 0.8.0 0.9.0 --game ember"],
];

/** Runs the program and answers its exit code. */
function run(args) {
  const { status, error } = spawnSync(process.execPath, [program, ...args], { cwd: root, stdio: "inherit" });
  if (error) throw error;
  return status ?? 1;
}

if (process.env.PLAYTEST_DEMO === undefined) {
  process.env.PLAYTEST_DEMO = "1";
  const here = fileURLToPath(import.meta.url);
  process.exitCode = run(["server", "exec", "--demo", "--", process.execPath, here]);
} else {
  for (const [question, line] of tour) {
    console.log(`# ${question}\n$ node ${program} ${line}\n`);
    const code = run(line.split(" "));
    if (code !== 0) process.exit(code);
    console.log();
  }
  console.log(`# This service is gone now. To type the commands yourself, start one that stays:`);
  console.log(`$ node ${program} server start --demo`);
}
