/** Starts the sample game in Godot 3, with the service and the ingest key of the environment. GODOT names another program. */
import { spawn } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";

const { PLAYTEST_BASE_URL, PLAYTEST_INGEST_KEY, GODOT = "godot3" } = process.env;
if (!PLAYTEST_BASE_URL || !PLAYTEST_INGEST_KEY) {
  console.error("Set PLAYTEST_BASE_URL and PLAYTEST_INGEST_KEY to what `playtest server start` printed.");
  process.exit(2);
}

// A project has its own copy of the client.
const here = import.meta.dirname;
copyFileSync(join(here, "..", "..", "clients", "godot3", "playtest.gd"), join(here, "playtest.gd"));
const game = spawn(GODOT, ["--path", here, ...process.argv.slice(2)], { stdio: "inherit" });
game.once("error", ({ message }) => {
  console.error(`Cannot start ${GODOT}: ${message}. Install it, or name the program in GODOT.`);
  process.exitCode = 1;
});
game.once("exit", (code) => {
  process.exitCode = code ?? 1;
});
