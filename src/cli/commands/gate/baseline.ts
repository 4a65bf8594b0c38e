/** Saved baselines: the data of a build that the gate needs, in a file that outlives the data on the service. */
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import * as z from "zod";
import { describeIssue } from "../../../contract/errors.ts";
import { testerHistory } from "../../../contract/play-history.ts";
import type { GateBuild } from "../../../gate/build-comparison.ts";
import { fail } from "../../errors.ts";
import { explainReadError } from "../../file-errors.ts";
import type { Io } from "../../io.ts";

/**
 * Version 1 contained neither the sessions of each tester, which are under `exposure`, nor the versions of the analysis.
 */
const BASELINE_VERSION = 2;

const baselineFile = z
  .object({
    playtestBaseline: z.literal([1, BASELINE_VERSION]),
    game: z.string(),
    environment: z.string(),
    savedAt: z.string(),
    version: z.string(),
    testers: z.int().min(0),
    sessions: z.int().min(0).nullable(),
    byTag: z.array(z.object({ tag: z.string(), testers: z.int().min(0), insights: z.int().min(0) })),
    stats: z.object({ engagementRate: z.number(), medianActiveSec: z.number() }).nullable(),
    analysisVersions: z.array(z.int()).nullable().default(null),
    exposure: z.array(testerHistory).nullable().default(null),
  })
  .superRefine(({ testers, byTag }, { addIssue }) => {
    const seen = new Set<string>();
    for (const entry of byTag) {
      const tag = `tag ${JSON.stringify(entry.tag)}`;
      const report = (message: string) => addIssue({ code: "custom", path: ["byTag"], message });
      if (entry.testers > testers)
        report(`${tag} has ${entry.testers} testers, but the build has only ${testers}`);
      if (seen.has(entry.tag)) report(`${tag} is listed twice`);
      seen.add(entry.tag);
    }
  });
type BaselineFile = z.output<typeof baselineFile>;

/** The content of the file for a build. */
export function toBaselineFile(
  build: GateBuild,
  { game, environment, savedAt }: Pick<BaselineFile, "game" | "environment" | "savedAt">,
): BaselineFile {
  const { version, testers, sessions, stats, analysisVersions } = build;
  const byTag = [...(build.byTag ?? [])].map(([tag, counts]) => ({ tag, ...counts }));
  return {
    playtestBaseline: BASELINE_VERSION,
    game,
    environment,
    savedAt,
    version,
    testers,
    sessions,
    byTag,
    stats,
    analysisVersions: analysisVersions && [...analysisVersions],
    exposure: build.history && [...build.history],
  };
}

/** A saved baseline: the build, and when and from where it was saved. */
export interface Baseline extends Pick<BaselineFile, "game" | "environment" | "savedAt"> {
  readonly build: GateBuild;
}

/** Larger files are not read just because a build has their name. */
const MAX_BASELINE_BYTES = 64 * 1024 * 1024;

const HINT = "Save a baseline with `playtest gate save <build> --out <file>`.";

/** Reads a saved baseline. Throws `config` if the file is not one. */
export async function readBaseline(file: string, { cwd }: Pick<Io, "cwd">): Promise<Baseline> {
  const path = resolve(cwd, file);
  const createError = (reason: string) => fail("config", { message: `${path} ${reason}`, hint: HINT });
  let json: unknown;
  try {
    json = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    // The message of the parser quotes the file, which may contain secrets, so only the position is reported.
    if (cause instanceof SyntaxError)
      throw createError(`is not valid JSON${describePosition(cause.message)}`);
    throw fail("config", {
      message: `Cannot read ${path}: ${explainReadError(cause)}`,
      hint: HINT,
      cause,
    });
  }
  const { data, error } = baselineFile.safeParse(json);
  if (error) throw createError(describeInvalidBaseline(json, error));
  const { game, environment, savedAt, exposure: history, ...build } = data;
  const byTag = new Map(data.byTag.map(({ tag, ...counts }) => [tag, counts]));
  return { game, environment, savedAt, build: { ...build, history, byTag } };
}

/** Names the first invalid field of a baseline. For any other file, the fields do not matter. */
function describeInvalidBaseline(json: unknown, { issues: [issue] }: z.ZodError): string {
  const isBaseline = typeof json === "object" && json !== null && Object.hasOwn(json, "playtestBaseline");
  if (!isBaseline || issue === undefined) return "is not a baseline";
  return `is not a valid baseline: ${describeIssue(issue.path.join(".") || "the content", issue.message)}`;
}

/** Whether a saved baseline is at this path. */
export async function isBaselineFile(file: string, { cwd }: Pick<Io, "cwd">): Promise<boolean> {
  if (file === "" || file.includes("\0")) return false;
  const path = resolve(cwd, file);
  const stats = await stat(path).catch(() => null);
  if (!stats?.isFile() || stats.size > MAX_BASELINE_BYTES) return false;
  try {
    const json: unknown = JSON.parse(await readFile(path, "utf8"));
    return typeof json === "object" && json !== null && Object.hasOwn(json, "playtestBaseline");
  } catch {
    return false;
  }
}

function describePosition(message: string): string {
  const [, position] = / at position (\d+)/.exec(message) ?? [];
  return position === undefined ? "" : ` (error at position ${position})`;
}
