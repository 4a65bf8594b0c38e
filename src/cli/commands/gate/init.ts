/** gate init: writes default rules and a JSON Schema that explains them. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
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
import { parseJsonFile } from "../../../shared/parse-json.ts";
import { command } from "../../command.ts";
import { fail } from "../../errors.ts";
import { REPO_FILE, readNamedRepoFile } from "../../repo-file.ts";

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

export const initCommand = command({
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

/** The content of the file. Throws `config` if it is invalid. */
async function readContent(path: string): Promise<Record<string, unknown>> {
  readNamedRepoFile(path);
  return parseJsonFile(await readFile(path, "utf8")) as Record<string, unknown>;
}
