/** `npm run lint`: runs all linters at the same time, and fails if one of them does. */
import { execa } from "execa";

const commands = [
  ["biome", "check", "."],
  ["depcruise", "src", "--config", ".dependency-cruiser.cjs"],
];

/** The lint of imports finds no modules if it cannot read TypeScript, and then reports nothing. */
const MIN_MODULES = 150;

/** Runs a command and then prints its output, so that those of several commands are not mixed. */
async function run([name, ...args]) {
  const { all, exitCode } = await execa(name, args, { preferLocal: true, reject: false, all: true });
  console.log(all);
  if (name !== "depcruise" || exitCode !== 0) return exitCode === 0;
  const modules = Number(/\((\d+) modules/.exec(all)?.[1] ?? 0);
  if (modules < MIN_MODULES) console.log(`depcruise read only ${modules} modules.`);
  return modules >= MIN_MODULES;
}

const results = await Promise.all(commands.map(run));
process.exitCode = results.every(Boolean) ? 0 : 1;
