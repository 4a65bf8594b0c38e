/** gate allow: writes a temporary exception for a row to playtest.config.json. */
import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describeIssue } from "../../../contract/errors.ts";
import { type AllowEntry, gateConfig } from "../../../gate/config.ts";
import { quoteForShell } from "../../../render/shell.ts";
import { cleanLine } from "../../../render/text.ts";
import { writeFileAtomically } from "../../../shared/atomic-file.ts";
import { parseJsonFile } from "../../../shared/parse-json.ts";
import { DAY_MS } from "../../../shared/time-units.ts";
import { command } from "../../command.ts";
import { fail } from "../../errors.ts";
import { text } from "../../flags.ts";
import { REPO_FILE, readNamedRepoFile, readRepoFile } from "../../repo-file.ts";
import { ruleFlags } from "./rules.ts";

/** How long the exception that a failure suggests lasts. */
const SUGGESTED_DAYS = 28;

/** The command that allows a row for now, ready to copy; null if a shell cannot take a name in it. */
export function suggestAllow(row: string, now: number, rulesFile: string = REPO_FILE): string | null {
  const names = [row, rulesFile].map(quoteForShell);
  if (names.includes(null)) return null;
  const [quoted, file] = names;
  const until = new Date(now + SUGGESTED_DAYS * DAY_MS).toISOString().slice(0, 10);
  const config = rulesFile === REPO_FILE ? "" : ` --config ${file}`;
  return `playtest gate allow ${quoted}${config} --until ${until} --reason "..."`;
}

export const allowCommand = command({
  path: "gate allow",
  summary: "Let a row of the gate be worse until a date",
  details:
    "Adds the exception to `gate.allow` in playtest.config.json, or in the rules file of --config, or replaces the one of the same row. Until the end of that " +
    "day in UTC, the row does not fail the gate; reports name the exception. A `*` in the name matches any text.",
  args: [{ name: "<row>", describe: "tag such as bug-report:cave, or a metric such as quit:furnace" }],
  flags: {
    until: text("--until <date>", "last day of the exception (UTC), such as 2026-12-31"),
    reason: text("--reason <text>", "why it may be worse for now, such as a ticket"),
    config: ruleFlags.config,
  },
  examples: ["gate allow quit:furnace --until 2030-12-31 --reason STUDIO-7"],
  async run({ io, settings }, { args: [row = ""], flags: { until, reason, config } }) {
    if (until === undefined || reason === undefined)
      throw fail("usage", {
        message: `Missing ${until === undefined ? "--until" : "--reason"}: an exception has a last day and a reason`,
        hint: `Run \`${suggestAllow(row, io.now(), config) ?? "playtest gate allow --help"}\`.`,
      });
    const entry = { tag: row, reason, expires: until };
    checkEntry(entry, io.now());
    const path =
      config === undefined
        ? (readRepoFile(io.cwd)?.path ?? join(io.cwd, REPO_FILE))
        : resolve(io.cwd, config);
    const before = config !== undefined || existsSync(path) ? await readContent(path) : {};
    const game = settings.flags.game === undefined ? {} : { game: settings.flags.game };
    const others = (toRules(before.gate).allow ?? []).filter(({ tag }) => tag !== row);
    // The file keeps its order and its other rules as they were written.
    const after = { ...game, ...before, gate: { ...(before.gate as object), allow: [...others, entry] } };
    toRules(after.gate);
    // A link stays a link.
    await writeFileAtomically(
      existsSync(path) ? await realpath(path) : path,
      `${JSON.stringify(after, null, 2)}\n`,
    );
    return {
      data: { path, allow: after.gate.allow },
      view: () => cleanLine(`Allowed ${row} until ${until} in ${path}.`).concat("\n"),
    };
  },
});

function checkEntry(entry: AllowEntry, now: number): void {
  const { error } = gateConfig.safeParse({ allow: [entry] });
  const [issue] = error?.issues ?? [];
  const names: Record<string, string> = { tag: "row", reason: "--reason", expires: "--until" };
  if (issue)
    throw fail("usage", { message: describeIssue(names[String(issue.path.at(-1))] ?? "row", issue.message) });
  if (Date.parse(`${entry.expires}T00:00:00Z`) + DAY_MS > now) return;
  throw fail("usage", { message: `--until ${entry.expires} is over`, hint: "Name a day in the future." });
}

/** The rules of the file. Throws `config` if they are not valid. */
function toRules(gate: unknown) {
  const { data, error } = gateConfig.safeParse(gate ?? {});
  if (error === undefined) return data;
  const [issue] = error.issues;
  throw fail("config", {
    message: `${REPO_FILE}: ${describeIssue(`gate.${issue?.path.join(".")}`, issue?.message ?? "is invalid")}`,
    hint: "Fix the rules first.",
  });
}

/** The content of the file. Throws `config` if it is invalid. */
export async function readContent(path: string): Promise<Record<string, unknown>> {
  readNamedRepoFile(path);
  return parseJsonFile(await readFile(path, "utf8")) as Record<string, unknown>;
}
