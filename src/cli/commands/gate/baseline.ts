/** Saved baselines: the data of a build that the gate needs, in a file that outlives the data on the service. */
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import * as z from "zod";
import { formField, sessionStates, testerFacts } from "../../../contract/build-facts.ts";
import { describeIssue } from "../../../contract/errors.ts";
import type { ReadFacts } from "../../../scorecard/facts.ts";
import { parseJsonFile } from "../../../shared/parse-json.ts";
import { fail } from "../../errors.ts";
import { failToRead } from "../../file-errors.ts";
import type { Io } from "../../io.ts";
import { writeNamedFile } from "../named-file.ts";

/** Earlier versions do not contain what each tester did. */
const BASELINE_VERSION = 3;

const baselineFile = z.object({
  playtestBaseline: z.literal(BASELINE_VERSION),
  game: z.string(),
  environment: z.string(),
  savedAt: z.string(),
  version: z.string(),
  testers: z.int().min(0).describe("Distinct testers in the environment"),
  analysisVersions: z.array(z.int()),
  sessions: sessionStates,
  anonymousSessions: z.int().min(0),
  fields: z.array(formField),
  facts: z.array(testerFacts).describe("What each compared tester did"),
});
type BaselineFile = z.output<typeof baselineFile>;

export interface Baseline {
  readonly game: string;
  readonly environment: string;
  /** ISO 8601. */
  readonly savedAt: string;
  readonly version: string;
  readonly testers: number;
  readonly facts: ReadFacts;
}

/** The content of the file. Without pairs, it cannot be seen which testers are also in other builds. */
function toBaselineFile({ facts, ...build }: Baseline, { pairs }: { readonly pairs: boolean }): BaselineFile {
  const { group, sessions, anonymousSessions, fields } = facts;
  const testers = structuredClone(group.testers) as BaselineFile["facts"];
  return {
    playtestBaseline: BASELINE_VERSION,
    ...build,
    ...{ analysisVersions: [...(group.analysisVersions ?? [])], sessions, anonymousSessions },
    fields: [...fields],
    facts: pairs ? testers : testers.map((tester) => ({ ...tester, tester: null, isReturning: null })),
  };
}

/** Writes a baseline to a file. Returns its content and absolute path. */
export async function writeBaseline(
  file: string,
  saved: Baseline,
  options: Parameters<typeof toBaselineFile>[1],
  io: Pick<Io, "cwd">,
): Promise<{ readonly path: string; readonly baseline: BaselineFile }> {
  const baseline = toBaselineFile(saved, options);
  return { path: await writeNamedFile("baseline", file, `${JSON.stringify(baseline)}\n`, io), baseline };
}

/** Larger files are not read just because a build has their name. */
const MAX_BASELINE_BYTES = 512 * 1024 * 1024;
const HINT = "Save a baseline with `playtest gate save <build> --out <file>`.";

/** Reads a saved baseline. Throws `config` if the file is not one. */
export async function readBaseline(file: string, { cwd }: Pick<Io, "cwd">): Promise<Baseline> {
  const path = resolve(cwd, file);
  const createError = (reason: string) => fail("config", { message: `${path} ${reason}`, hint: HINT });
  let json: unknown;
  try {
    json = parseJsonFile(await readFile(path, "utf8"));
  } catch (cause) {
    // The message of the parser quotes the file, which may contain secrets, so only the position is reported.
    if (cause instanceof SyntaxError)
      throw createError(`is not valid JSON${describePosition(cause.message)}`);
    throw failToRead(path, HINT, cause);
  }
  const { data, error } = baselineFile.safeParse(json);
  if (error) throw createError(describeInvalidBaseline(json, error));
  const {
    playtestBaseline: _,
    analysisVersions,
    sessions,
    anonymousSessions,
    fields,
    facts,
    ...build
  } = data;
  return {
    ...build,
    facts: {
      group: { analysisVersions, outcomeVersions: analysisVersions, testers: facts },
      ...{ version: build.version, sessions, anonymousSessions, fields },
    },
  };
}

/** Names the first invalid field of a baseline. For any other file, the fields do not matter. */
function describeInvalidBaseline(json: unknown, { issues: [issue] }: z.ZodError): string {
  const isBaseline = typeof json === "object" && json !== null && Object.hasOwn(json, "playtestBaseline");
  if (!isBaseline || issue === undefined) return "is not a baseline";
  if (issue.path[0] === "playtestBaseline")
    return "is a baseline of an earlier version, without what each tester did: save it again";
  return `is not a valid baseline: ${describeIssue(issue.path.join(".") || "the content", issue.message)}`;
}

/** Whether a saved baseline is at this path. */
export async function isBaselineFile(file: string, { cwd }: Pick<Io, "cwd">): Promise<boolean> {
  if (file === "" || file.includes("\0")) return false;
  const path = resolve(cwd, file);
  const stats = await stat(path).catch(() => null);
  if (!stats?.isFile() || stats.size > MAX_BASELINE_BYTES) return false;
  try {
    const json: unknown = parseJsonFile(await readFile(path, "utf8"));
    return typeof json === "object" && json !== null && Object.hasOwn(json, "playtestBaseline");
  } catch {
    return false;
  }
}

function describePosition(message: string): string {
  const [, position] = / at position (\d+)/.exec(message) ?? [];
  return position === undefined ? "" : ` (error at position ${position})`;
}
