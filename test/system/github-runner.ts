/** Runs the steps of a composite action in a shell, with the environment and files that GitHub's runner gives them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { parse } from "yaml";

type Texts = Readonly<Record<string, string>>;

interface Step {
  readonly name: string;
  readonly id?: string;
  readonly if?: string;
  readonly shell?: string;
  readonly env?: Texts;
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Texts;
}

export interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly description: string; readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

export const parseAction = (yaml: string): Action => parse(yaml) as Action;

export interface ActionRun {
  readonly failed: boolean;
  /** Names of the steps that ran, with their exit codes. */
  readonly steps: Readonly<Record<string, number>>;
  readonly log: string;
  readonly outputs: Texts;
  readonly summary: string;
  /** What the step that uploads an artifact receives. */
  readonly uploads: readonly Texts[];
}

/** Runs the action in a workspace. `github` contains values such as `token` and `event.pull_request.number`. */
export async function runAction(
  action: Action,
  { workspace, inputs, github, env }: { workspace: string; inputs: Texts; github: Texts; env: Texts },
): Promise<ActionRun> {
  const temp = join(workspace, "..", "runner-temp");
  mkdirSync(temp, { recursive: true });
  const context: Record<string, string> = {};
  for (const [name, value] of Object.entries(github)) context[`github.${name}`] = value;
  for (const [name, { default: value = "" }] of Object.entries(action.inputs))
    context[`inputs.${name}`] = inputs[name] ?? evaluate(String(value), context);
  const files = { GITHUB_STEP_SUMMARY: join(temp, "summary"), GITHUB_OUTPUT: join(temp, "output") };
  const run = { failed: false, steps: {} as Record<string, number>, log: "", uploads: [] as Texts[] };
  for (const step of action.runs.steps) {
    if (!holds(step.if ?? "success()", context, run.failed)) continue;
    if (step.uses !== undefined) {
      run.uploads.push(evaluateAll(step.with ?? {}, context));
      continue;
    }
    writeFileSync(files.GITHUB_OUTPUT, "");
    const script = join(temp, "step.sh");
    writeFileSync(script, step.run ?? "");
    // The command of `shell: bash`.
    const { exitCode = 1, all } = await execa("bash", ["--noprofile", "--norc", "-eo", "pipefail", script], {
      cwd: workspace,
      reject: false,
      all: true,
      extendEnv: false,
      timeout: 240_000,
      env: { ...env, ...files, RUNNER_TEMP: temp, ...evaluateAll(step.env ?? {}, context) },
    });
    run.log += `${all}\n`;
    run.steps[step.name] = exitCode;
    if (exitCode !== 0) run.failed = true;
    for (const [name, value] of readOutputs(readFileSync(files.GITHUB_OUTPUT, "utf8")))
      context[`steps.${step.id}.outputs.${name}`] = value;
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, evaluate(value, context)]);
  const summary = existsSync(files.GITHUB_STEP_SUMMARY)
    ? readFileSync(files.GITHUB_STEP_SUMMARY, "utf8")
    : "";
  return { ...run, outputs: Object.fromEntries(outputs), summary };
}

/** Replaces expressions that are the name of a value. Other expressions are not supported. */
function evaluate(text: string, context: Texts): string {
  return text.replace(/\$\{\{ (.+?) \}\}/g, (_, name: string) => {
    if (!/^[\w.-]+$/.test(name)) throw new Error(`not a name: ${name}`);
    return context[name] ?? "";
  });
}

const evaluateAll = (texts: Texts, context: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, evaluate(text, context)]));

/** Evaluates a condition: comparisons with a text, combined with &&. Without a status function, it requires success. */
function holds(condition: string, context: Texts, failed: boolean): boolean {
  const terms = condition.split(" && ");
  const status = terms.includes("always()") || !failed;
  return (
    status &&
    terms.every((term) => {
      if (term === "always()" || term === "success()") return true;
      const [, name = "", operator, value] = /^([\w.-]+) (==|!=) '(.*)'$/.exec(term) ?? [];
      if (operator === undefined) throw new Error(`not a comparison: ${term}`);
      return ((context[name] ?? "") === value) === (operator === "==");
    })
  );
}

/** Parses an output file like the runner: `name=value`, or `name<<end` up to the first line that is `end`. */
function readOutputs(file: string): [name: string, value: string][] {
  const outputs: [string, string][] = [];
  const lines = file.split("\n");
  lines.pop();
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const [, single, value = ""] = /^([^=<]+)=(.*)$/.exec(line) ?? [];
    const [, multiple, end = ""] = /^([^=]+?)<<(.+)$/.exec(line) ?? [];
    if (multiple !== undefined) {
      const length = lines.indexOf(end);
      if (length < 0) throw new Error(`no line is ${end}`);
      outputs.push([multiple, lines.splice(0, length).join("\n")]);
      lines.shift();
    } else if (single !== undefined) outputs.push([single, value]);
    else throw new Error(`not an output: ${line}`);
  }
  return outputs;
}
