/**
 * A game that plays by itself, for `gate run`, with the TypeScript client. The arguments say how it ends: `crash`, `fail`, `hang`,
 * `silent` or, by default, with exit code 0. The variable FRAME_MS sets how long its frames take.
 */

import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { Playtest } from "./playtest.js";

const [ending = "", log] = process.argv.slice(2);
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
if (log) appendFileSync(log, `${JSON.stringify({ pid: process.pid, env: process.env })}\n`);
console.log("The game starts.");
if (ending === "silent") process.exit(0);

const playtest = new Playtest({
  ...{ baseUrl: "https://studio.test", key: "pt_ik_none", gameId: "maze", gameVersion: "dev" },
  ...{ deviceId: "stored", platform: "test", folder: process.env.QUEUE },
});
playtest.start();
playtest.position(1, 2, "dock");
const frame = Number(process.env.FRAME_MS ?? 16);
for (let number = 0; number < 400; number += 1) playtest.frame(frame + Math.random());
playtest.track("level_completed", { room: "dock" });
if (ending === "crash" || ending === "hang") {
  await wait(1500);
  if (ending === "crash") process.kill(process.pid, "SIGSEGV");
  // A child in a process group of its own, as launchers start it.
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true });
  if (log) appendFileSync(log, `${JSON.stringify({ child: child.pid })}\n`);
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1000);
} else {
  await playtest.end({});
  while (playtest.status().queuedBytes > 0) await wait(50);
  console.error("\u001b[31mThe game ends.");
  process.exit(ending === "fail" ? 3 : 0);
}
