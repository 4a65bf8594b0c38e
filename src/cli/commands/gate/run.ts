/** gate run: runs a game several times, and judges what the runs sent. */
import { command } from "../../command.ts";
import { writeErrorReports } from "./error-reports.ts";
import { runFlags } from "./run-flags.ts";
import { judgeRuns } from "./run-gate.ts";
import { RUN_ENVIRONMENT } from "./run-sessions.ts";

export const runCommand = command({
  path: "gate run",
  summary: "Run a game several times in CI, and judge the runs",
  details:
    "Runs the command with PLAYTEST_BASE_URL, PLAYTEST_INGEST_KEY, PLAYTEST_BUILD, PLAYTEST_ENVIRONMENT (ci) and PLAYTEST_DEVICE_ID, " +
    "which the clients read, and decides like `gate`. See `playtest help gate-runs`.",
  topic: {
    name: "gate-runs",
    summary: "How `gate run` judges scripted runs",
    text:
      "Each run must exit with code 0, send a session and meet every --expect. If more than --max-failed-runs fail one " +
      "of these, the gate fails, whatever the number of runs. Limits in the rules file also decide with any number of runs.\n\n" +
      "A comparison with --against counts each run as a tester in the environment ci, on both sides. Five runs against " +
      "five only show a difference if nearly all runs of the build are worse; smaller ones need about 20. By default, " +
      "crash, friction, quits and performance can fail. A build that ran before has more runs, and all count.\n\n" +
      "After --run-timeout, or if the command is interrupted, the processes of the run are ended, except those that have detached themselves from it. The output of a run is " +
      "only shown if it failed. The default of --build-version is PLAYTEST_BUILD, the commit of the CI job, or that of the working copy, " +
      "with -dirty if files are changed.\n\n" +
      "With --temporary, nothing is kept, so --against takes a file of --save. Without --against, only the other " +
      "checks decide, and --save writes the first baseline.",
    flags: ["metrics", "onInconclusive", "config", "notify"],
  },
  args: [{ name: "<command...>", describe: "command and its arguments, after --" }],
  flags: runFlags,
  examples: [
    "gate run --temporary --game ember --expect level_completed -- ./Game --autoplay",
    "gate run --runs 20 --against @runs.json --game ember -- ./Game --autoplay",
  ],
  passThrough: true,
  finishesOnSignal: true,
  onError: (failed) => {
    const { against, buildVersion } = failed.given;
    return writeErrorReports({
      ...failed,
      args: [against, buildVersion].map((version) => (typeof version === "string" ? version : "")),
      given: { ...failed.given, env: RUN_ENVIRONMENT },
    });
  },
  run: (context, { args, flags }) => judgeRuns(context, args, flags),
});
