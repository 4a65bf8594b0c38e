/** The rules that a gate runs with: those of the repository's file, with the flags before them. */
import { resolve } from "node:path";
import { fail } from "../../../contract/errors.ts";
import { type GateConfig, gateConfig, type JudgedKind, judgedKinds } from "../../../gate/config.ts";
import type { Values } from "../../command.ts";
import type { Context } from "../../context.ts";
import { choice, choices, integer, number, text } from "../../flags.ts";
import { readNamedRepoFile, readRepoFile } from "../../repo-file.ts";

export const ruleFlags = {
  env: text("--env <slug>", "environment of both builds, default production; all for every one"),
  failOn: choices(
    "--fail-on <kinds>",
    `kinds of change that fail: ${judgedKinds.join(", ")}; the others are then not judged`,
    judgedKinds,
  ),
  minTesters: integer("--min-testers <n>", "fewer in either build are inconclusive, default 5", 1, 1_000_000),
  maxIncrease: number("--max-increase <points>", "a tag's share may grow by so much, default 10", 0, 100),
  confidence: number("--confidence <share>", "how sure a growth must be, default 0.95", 0.5, 0.9999),
  maxNew: integer("--max-new <n>", "so many introduced tags only warn, default 0", 0, 10_000),
  onInconclusive: choice(
    "--on-inconclusive <what>",
    "what an inconclusive answer does: fail (exit 11, default), warn or pass",
    ["fail", "warn", "pass"],
  ),
  config: text("--config <file>", "file with the rules, in place of the nearest playtest.config.json"),
} as const;

type RuleValues = Values<typeof ruleFlags>;

/** The rules. Throws `config` naming the field of the file that cannot be. */
export function rulesOf({ io }: Pick<Context, "io">, flags: RuleValues): GateConfig {
  const file =
    flags.config === undefined ? readRepoFile(io.cwd) : readNamedRepoFile(resolve(io.cwd, flags.config));
  const stored = file?.gate === undefined ? {} : checked(file.gate, file.path);
  const { env, minTesters, maxIncrease: maxIncreasePoints, confidence, maxNew, onInconclusive } = flags;
  const given = { env, minTesters, maxIncreasePoints, confidence, maxNew, onInconclusive };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...stored, ...set, ...(flags.failOn ? { kinds: kindsOf(stored, flags.failOn) } : {}) };
}

/** The kinds' rules with these kinds as errors and no others judged. */
function kindsOf({ kinds = {} }: GateConfig, failOn: readonly JudgedKind[]): GateConfig["kinds"] {
  const level = (kind: JudgedKind) => (failOn.includes(kind) ? ("error" as const) : ("off" as const));
  return Object.fromEntries(judgedKinds.map((kind) => [kind, { ...kinds[kind], level: level(kind) }]));
}

function checked(gate: unknown, path: string): GateConfig {
  const { data, error } = gateConfig.safeParse(gate);
  if (!error) return data;
  const faults = error.issues.map(
    (issue) => `gate${issue.path.map((part) => `.${String(part)}`).join("")}: ${issue.message}`,
  );
  throw fail("config", {
    message: `${path}: ${faults.join("; ")}`,
    hint: "The schema beside it (`playtest gate init` writes both) tells what each rule may be.",
  });
}
