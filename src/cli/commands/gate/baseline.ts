/** Saved baselines: what a gate needs to know of a build, kept in a file for when the build's data is gone. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import * as z from "zod";
import { fail } from "../../../contract/errors.ts";
import type { Side } from "../../../gate/sides.ts";
import type { Io } from "../../io.ts";

export const BASELINE_VERSION = 1;

const baselineFile = z.object({
  playtestBaseline: z.literal(BASELINE_VERSION),
  game: z.string(),
  environment: z.string(),
  savedAt: z.string(),
  version: z.string(),
  testers: z.int().min(0),
  sessions: z.int().min(0).nullable(),
  byTag: z.array(z.object({ tag: z.string(), testers: z.int().min(0), insights: z.int().min(0) })),
  stats: z.object({ engagementRate: z.number(), medianActiveSec: z.number() }).nullable(),
});
export type BaselineFile = z.output<typeof baselineFile>;

/** The file's content for a side. */
export function toBaseline(
  side: Side,
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

/** Reads a saved baseline. Throws `config` where it is none. */
export async function readBaseline(
  file: string,
  { cwd }: Pick<Io, "cwd">,
): Promise<{ readonly side: Side; readonly game: string; readonly environment: string }> {
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
    if (cause instanceof SyntaxError) throw refuse(`is not JSON (${cause.message})`, cause);
    throw refuse(`cannot be read (${(cause as NodeJS.ErrnoException).code})`, cause);
  }
  const { data, error } = baselineFile.safeParse(json);
  if (error) {
    const [issue] = error.issues;
    throw refuse(`is no baseline: ${issue?.path.join(".") || "it"}: ${issue?.message}`);
  }
  const { game, environment, version, testers, sessions, stats } = data;
  const byTag = new Map(data.byTag.map(({ tag, ...counts }) => [tag, counts]));
  return { game, environment, side: { version, testers, sessions, byTag, stats } };
}
