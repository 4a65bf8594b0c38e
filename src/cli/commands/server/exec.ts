/** server exec: runs a command against a service that exists only while the command runs. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { command } from "../../command.ts";
import { type CliError, isSignalErrorCode, signalsByCode } from "../../errors.ts";
import { text } from "../../flags.ts";
import type { Io } from "../../io.ts";
import { createStartError } from "../../start-error.ts";
import { serviceFlags } from "./local.ts";
import { type ServiceVariables, withTemporaryService } from "./temporary-service.ts";

export const execCommand = command({
  path: "server exec",
  summary: "Run a command against a temporary service",
  details:
    "Starts a service, runs the command, stops the service and exits with the exit code of the command. By " +
    "default, the database is temporary; use --database to keep it in a file. With --demo or --seed, the " +
    "command starts after the analysis has finished.\n\nThe command receives the URL and the keys of the service " +
    "in PLAYTEST_BASE_URL, PLAYTEST_KEY and PLAYTEST_INGEST_KEY. These keys are not stored and stop working when the " +
    "command ends; the keys in the database are not changed and remain valid. Your own profiles are not used, because " +
    "PLAYTEST_PROFILE is set to server-exec. `-- playtest ...` runs this program, even if playtest is not on your PATH.",
  args: [{ name: "<command...>", describe: "command and its arguments, after --" }],
  flags: {
    ...serviceFlags,
    database: text("--database <file>", "database file (created if missing) or :memory: (default: :memory:)"),
  },
  examples: [
    "server exec --demo -- playtest builds compare 0.8.0 0.9.0 --game ember",
    "server exec --create-game ember -- npm test",
  ],
  passThrough: true,
  finishesOnSignal: true,
  async run(context, { args, flags }) {
    const exitCode = await withTemporaryService(context, flags, (env) => runChild(context.io, args, env));
    return { data: undefined, exitCode };
  },
});

async function runChild(
  io: Io,
  [name = "", ...args]: readonly string[],
  env: ServiceVariables,
): Promise<number> {
  const [program = "", ...programArgs] = name === "playtest" ? io.self : [name];
  // An empty profile, because the user's own game and keys do not belong to this service.
  const childEnv = { ...io.env, PLAYTEST_PROFILE: "server-exec", ...env };
  const child = spawn(program, [...programArgs, ...args], { stdio: "inherit", env: childEnv });
  const forward = () => {
    const code = (io.signal.reason as CliError | undefined)?.code ?? "interrupted";
    child.kill(isSignalErrorCode(code) ? signalsByCode[code] : "SIGINT");
  };
  io.signal.addEventListener("abort", forward, { once: true });
  return await new Promise((resolve, reject) => {
    child.once("error", (cause) => reject(createStartError(name, cause)));
    child.once("exit", (code, signal) => {
      io.signal.removeEventListener("abort", forward);
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}
