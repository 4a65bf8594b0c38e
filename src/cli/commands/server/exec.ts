/** server exec: runs a command against a service that exists only while the command runs. */

import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { ApiKeyKind } from "../../../contract/define.ts";
import { requireValidSlug } from "../../../server/games/games.ts";
import { listen } from "../../../server/http/listen.ts";
import { command } from "../../command.ts";
import { type CliError, fail, isSignalErrorCode, signalsByCode } from "../../errors.ts";
import { text } from "../../flags.ts";
import type { Io } from "../../io.ts";
import { requireReadable } from "../../telemetry-files/lines.ts";
import { openLocal, serviceFlags } from "./local.ts";
import { populateDatabase } from "./seed.ts";

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
    flags.games.forEach(requireValidSlug);
    await requireReadable(flags.seed, context.io);
    const local = await openLocal(context, { ...flags, database: flags.database ?? ":memory:" });
    try {
      await populateDatabase(context, local, flags);
      await local.analysis.drain();
      const { service, accountId } = local;
      const issueKey = (kind: ApiKeyKind) => service.temporaryKeys.issue(accountId, kind, service.now());
      local.useWorkers();
      const listening = await listen(local.app, { host: "127.0.0.1", port: 0 });
      try {
        const exitCode = await runChild(context.io, args, {
          PLAYTEST_BASE_URL: listening.url,
          PLAYTEST_KEY: issueKey("management"),
          PLAYTEST_INGEST_KEY: issueKey("ingest"),
        });
        return { data: undefined, exitCode };
      } finally {
        await listening.close();
      }
    } finally {
      await local.stop();
    }
  },
});

async function runChild(
  io: Io,
  [name = "", ...args]: readonly string[],
  env: Record<string, string | undefined>,
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
    child.once("error", (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === "ENOENT" ? "program not found" : cause.message;
      reject(
        fail("usage", {
          message: `Cannot run ${name}: ${reason}`,
          hint: "Check the command name and PATH.",
          cause,
        }),
      );
    });
    child.once("exit", (code, signal) => {
      io.signal.removeEventListener("abort", forward);
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}
