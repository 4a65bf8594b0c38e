/** `npm run demo`: starts a temporary service with the demo studio, and runs the commands that a producer would run. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = "bin/playtest.js";
const root = fileURLToPath(new URL("..", import.meta.url));

const tour = [
  ["What happened in the playtest?", "status --game ember"],
  ["What should be fixed first?", "builds suggestions --game ember"],
  ["Where were players in the new boss room?", "heatmap --game ember --build 0.9.0 --room furnace"],
  ["What did players do most often?", "events --game ember --build 0.9.0 --top 10"],
  ["What improved and what got worse since the previous build?", "builds compare --game ember"],
];

/** Runs the program and returns its exit code. */
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
  for (const [title, line] of tour) {
    console.log(`# ${title}\n$ node ${program} ${line}\n`);
    const code = run(line.split(" "));
    if (code !== 0) process.exit(code);
    console.log();
  }
  console.log(`# The temporary service has stopped. To try the commands yourself, start a permanent one:`);
  console.log(`$ node ${program} server start --demo`);
}
