/** The commands of the gate. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { gates } from "../../../contract/gates.ts";
import {
  DEFAULT_CONFIDENCE,
  DEFAULT_DETECT_POINTS,
  DEFAULT_MAX_INCREASE,
  DEFAULT_MIN_TESTERS,
  type GateConfig,
} from "../../../gate/config.ts";
import { REPO_SCHEMA_FILE, repoFileSchema } from "../../../gate/schema.ts";
import { cleanLine } from "../../../render/text.ts";
import { writeFileAtomically } from "../../../shared/atomic-file.ts";
import { command } from "../../command.ts";
import { fail } from "../../errors.ts";
import { REPO_FILE } from "../../repo-file.ts";
import { createListCommand } from "../resource-commands.ts";
import { allowCommand, readContent } from "./allow.ts";
import { writeErrorReports } from "./error-reports.ts";
import { gateCommand } from "./gate.ts";
import { planCommand } from "./plan.ts";
import { judgeRuns } from "./run-gate.ts";
import { runFlags } from "./run-plan.ts";
import { RUN_ENVIRONMENT } from "./run-sessions.ts";
import { saveCommand } from "./save.ts";

/** Contains every rule, so that users can discover them. */
const STARTER_RULES: GateConfig = {
  env: "production",
  confidence: DEFAULT_CONFIDENCE,
  minTesters: DEFAULT_MIN_TESTERS,
  maxIncreasePoints: DEFAULT_MAX_INCREASE,
  detectPoints: DEFAULT_DETECT_POINTS,
  maxNew: 0,
  onInconclusive: "fail",
  kinds: { introduced: { level: "error" }, got_larger: { level: "error" } },
  tags: [{ tag: "bug-report:*", level: "error", maxIncreasePoints: 5 }],
  allow: [],
  limits: {
    engagementRate: { maxDropPoints: 10, level: "warn" },
    medianActiveSec: { maxDropPct: 25, level: "warn" },
    bugReportsPerSession: { maxIncrease: 0.5, level: "warn" },
  },
};

const initCommand = command({
  path: "gate init",
  summary: "Add default gate rules to playtest.config.json",
  details:
    "Existing content of the file is kept. Also writes a JSON schema that explains each rule in your editor.",
  args: [],
  flags: {},
  examples: ["gate init"],
  async run({ io, settings }) {
    const path = join(io.cwd, REPO_FILE);
    const before = existsSync(path) ? await readContent(path) : {};
    if (Object.hasOwn(before, "gate")) {
      throw fail("config", {
        message: `${path} already has gate rules`,
        hint: "Edit them, or remove `gate` from the file first.",
      });
    }
    const game = settings.flags.game === undefined ? {} : { game: settings.flags.game };
    const after = { $schema: `./${REPO_SCHEMA_FILE}`, ...game, ...before, gate: STARTER_RULES };
    const schema = join(io.cwd, REPO_SCHEMA_FILE);
    await writeFileAtomically(schema, `${JSON.stringify(repoFileSchema(), null, 2)}\n`);
    await writeFileAtomically(path, `${JSON.stringify(after, null, 2)}\n`);
    return {
      data: { path, schema, config: after },
      view: () => cleanLine(`Wrote ${path} and its schema, ${schema}.`).concat("\n"),
    };
  },
});

const runCommand = command({
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

export const commands = [
  gateCommand,
  initCommand,
  allowCommand,
  planCommand,
  runCommand,
  saveCommand,
  createListCommand(gates),
];
