import type { RenderOptions } from "../../../render/options.ts";
import { painter, type Style } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { cleanLine } from "../../../render/text.ts";
import { wrapText } from "../../../render/wrap.ts";
import { command, createTable, type Result } from "../../command.ts";
import { addSelection } from "../../suggested-commands.ts";
import { listEffectiveSettings, settingColumns } from "../config/index.ts";
import type { Check } from "./check.ts";
import {
  checkCertificates,
  checkConfigFile,
  checkDriver,
  checkProxies,
  checkRepoFile,
  checkSettings,
  checkTerminal,
  checkVersions,
} from "./local-checks.ts";
import { checkService } from "./service-checks.ts";

const columns = defineColumns<Check>({
  name: { header: "CHECK", tone: "strong" },
  status: { header: "STATUS" },
  found: { header: "RESULT", shrink: 2 },
  hint: { header: "FIX", shrink: 1 },
});

const doctorCommand = command({
  path: "doctor",
  summary: "Check settings, keys and the service, and suggest fixes",
  details:
    "Checks the settings and their sources, the service and its clock, the keys, the proxies and the " +
    "runtime. Keys are never shown, so you can paste the output into an issue (--format md). Waits 5 s for " +
    "the service; use --timeout to change this. The exit code is 0 if no check failed, even if there are " +
    "warnings. Otherwise it is the exit code of the first failed check, such as 3, 41 or 51 (see `playtest " +
    "help exit-codes`).",
  examples: ["doctor", "doctor --format md", "doctor --json --jq '.checks[] | select(.status != \"ok\")'"],
  toleratesInvalidConfig: true,
  async run(context) {
    const { io } = context;
    const repo = checkRepoFile(io);
    const checks = [
      checkConfigFile(io),
      checkSettings(context),
      repo,
      ...(await checkService(context)),
      checkProxies(io),
      checkCertificates(io),
      await checkDriver(),
      checkVersions(io),
      checkTerminal(context),
    ].map((check) => ({ ...check, hint: check.hint && addSelection(check.hint, context.selection) }));
    const settings = listEffectiveSettings(context, repo.status === "fail" ? null : await context.findGame());
    const settingsTable = createTable(settings, settingColumns, "");
    return {
      data: { checks, settings },
      table: createTable(checks, columns, ""),
      items: checks,
      sections: [{ title: "Current settings", table: settingsTable }],
      view: (options) => `${checksView(checks, options)}\n${renderTable(settings, settingColumns, options)}`,
      ...buildVerdict(checks),
    };
  },
});

function buildVerdict(checks: readonly Check[]): Pick<Result, "verdict"> {
  const failed = checks.filter(({ status }) => status === "fail");
  const [first] = failed;
  if (!first?.code) return {};
  const message =
    failed.length === 1
      ? `1 check failed: ${first.name}: ${first.found}`
      : `${failed.length} checks failed. First failure: ${first.name}: ${first.found}`;
  return { verdict: { code: first.code, message, hint: first.hint ?? "" } };
}

const styles: Readonly<Record<Check["status"], Style>> = {
  ok: "good",
  warn: "strong",
  fail: "bad",
  skip: "muted",
};

/** One line per check, followed by its hint. Long lines wrap at a terminal. */
function checksView(checks: readonly Check[], options: RenderOptions): string {
  const paint = painter(options);
  const nameWidth = Math.max(...checks.map(({ name }) => name.length));
  const indent = " ".repeat("warn".length + nameWidth + 4);
  const maxWidth = options.tty ? Math.max(20, options.width - indent.length) : Number.POSITIVE_INFINITY;
  return checks
    .map(({ name, status, found, hint }) => {
      const lines = wrapText(cleanLine(found), maxWidth);
      if (hint !== null) lines.push(...wrapText(cleanLine(hint), maxWidth));
      const mark = paint(status, styles[status]) + " ".repeat("warn".length - status.length);
      return `${mark}  ${name.padEnd(nameWidth)}  ${lines.join(`\n${indent}`)}\n`;
    })
    .join("");
}

export const commands = [doctorCommand];
