/** `npm run lint`: runs all linters at the same time, and fails if one of them does. */
import { execa } from "execa";

const commands = [
  ["biome", "check", "."],
  ["depcruise", "src", "--config", ".dependency-cruiser.cjs"],
];

/** Runs a command and then prints its output, so that those of several commands are not mixed. */
async function run([name, ...args]) {
  const { all, exitCode } = await execa(name, args, { preferLocal: true, reject: false, all: true });
  console.log(all);
  return exitCode === 0;
}

const results = await Promise.all(commands.map(run));
process.exitCode = results.every(Boolean) ? 0 : 1;
