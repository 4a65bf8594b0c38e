/** Saved baselines: what a gate needs to know of a build, kept in a file for when the build's data is gone. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import * as z from "zod";
import type { GateBuild } from "../../../gate/build-comparison.ts";
import { fail } from "../../errors.ts";
import type { Io } from "../../io.ts";

export const BASELINE_VERSION = 1;

const baselineFile = z
  .object({
    playtestBaseline: z.literal(BASELINE_VERSION),
    game: z.string(),
    environment: z.string(),
    savedAt: z.string(),
    version: z.string(),
    testers: z.int().min(0),
    sessions: z.int().min(0).nullable(),
    byTag: z.array(z.object({ tag: z.string(), testers: z.int().min(0), insights: z.int().min(0) })),
    stats: z.object({ engagementRate: z.number(), medianActiveSec: z.number() }).nullable(),
  })
  .superRefine(({ testers, byTag }, { addIssue }) => {
    const seen = new Set<string>();
    for (const entry of byTag) {
      const tag = `tag ${JSON.stringify(entry.tag)}`;
      const refuse = (message: string) => addIssue({ code: "custom", path: ["byTag"], message });
      if (entry.testers > testers) refuse(`${tag} has ${entry.testers} of ${testers} testers`);
      if (seen.has(entry.tag)) refuse(`${tag} is there twice`);
      seen.add(entry.tag);
    }
  });
export type BaselineFile = z.output<typeof baselineFile>;

/** The file's content for a side. */
export function toBaselineFile(
  side: GateBuild,
  { game, environment, savedAt }: Pick<BaselineFile, "game" | "environment" | "savedAt">,
): BaselineFile {
  const { version, testers, sessions, stats } = side;
  const byTag = [...(side.byTag ?? [])].map(([tag, counts]) => ({ tag, ...counts }));
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
  };
}

/** A saved baseline: the side, and what it was saved of. */
export interface Baseline extends Pick<BaselineFile, "game" | "environment" | "savedAt"> {
  readonly side: GateBuild;
}

/** Reads a saved baseline. Throws `config` where it is none. */
export async function readBaseline(file: string, { cwd }: Pick<Io, "cwd">): Promise<Baseline> {
  const path = resolve(cwd, file);
  const refuse = (why: string, cause?: unknown) =>
    fail("config", {
      message: `${path}: ${why}`,
      hint: "Save one with `playtest gate save <build> --out <file>`.",
      cause,
    });
  let json: unknown;
  try {
    json = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    // The parser's message quotes the file, which may be any: only where it broke is told.
    if (cause instanceof SyntaxError) throw refuse(`is not JSON${describePosition(cause.message)}`);
    throw refuse(`cannot be read (${(cause as NodeJS.ErrnoException).code})`, cause);
  }
  const { data, error } = baselineFile.safeParse(json);
  if (error) {
    const [issue] = error.issues;
    throw refuse(`is no baseline: ${issue?.path.join(".") || "it"}: ${issue?.message}`);
  }
  const { game, environment, savedAt, version, testers, sessions, stats } = data;
  const byTag = new Map(data.byTag.map(({ tag, ...counts }) => [tag, counts]));
  return { game, environment, savedAt, side: { version, testers, sessions, byTag, stats } };
}

function describePosition(message: string): string {
  const [, position] = / at position (\d+)/.exec(message) ?? [];
  return position === undefined ? "" : ` (broken at position ${position})`;
}
