/** Adds the sessions behind failures and warnings to a verdict: those that the service selected, or for friction the newest insights. */
import { insightTypes } from "../../../contract/insights.ts";
import { judge } from "../../../gate/judge.ts";
import type { GateVerdict } from "../../../gate/verdict.ts";
import type { Context } from "../../context.ts";
import { readPages } from "../lists.ts";
import type { GateClient, GateQuery, ShownGateInput } from "./comparison.ts";

const MAX_EVIDENCE_PER_TAG = 3;
/** Maximum number of insights of each type, and of sessions, to read. */
const MAX_ITEMS_READ = 500;

/** The verdict with the sessions that the service selected for what failed or warned. */
export function judgeWithEvidence(input: ShownGateInput): GateVerdict {
  const verdict = judge(input);
  const byMetric = new Map(input.evidence?.map(({ metric, sessions }) => [metric, sessions]));
  const checks = verdict.checks.map((check) => ({
    ...check,
    evidence: isCounted(check) ? (byMetric.get(check.metric) ?? []) : [],
  }));
  return { ...verdict, checks };
}

const isCounted = ({ ruling }: GateVerdict["checks"][number]) => ruling === "failed" || ruling === "warned";

/** The verdict with the newest insights of build b for each tag that failed or warned. */
export async function withEvidence(
  context: Context,
  client: GateClient,
  { game, env, b }: GateQuery,
  verdict: GateVerdict,
): Promise<GateVerdict> {
  const counted = verdict.checks.filter((check) => check.family === "friction" && isCounted(check));
  if (counted.length === 0) return verdict;
  const sessionIds = await readSessionIds(context, client, game, b, env);
  const byTag = new Map<string, GateVerdict["checks"][number]["evidence"]>(counted.map(({ id }) => [id, []]));
  const types = new Set(counted.map(({ id }) => id.split(":")[0]));
  for (const type of insightTypes.filter((name) => types.has(name))) {
    const pages = readPages(context, { limit: MAX_ITEMS_READ, offset: 0, all: false }, (range) =>
      client.listInsights({ game, build: b, type, ...range }),
    );
    for await (const { items } of pages) {
      for (const { id, sessionId, tag, title } of items) {
        const evidence = byTag.get(tag ?? "");
        const isInEnvironment = sessionIds === null || sessionIds.has(sessionId);
        if (evidence && isInEnvironment && evidence.length < MAX_EVIDENCE_PER_TAG)
          evidence.push({ insightId: id, sessionId, title: title ?? null });
      }
    }
  }
  const checks = verdict.checks.map((check) => ({
    ...check,
    evidence: byTag.get(check.id) ?? check.evidence,
  }));
  return { ...verdict, checks };
}

/**
 * The ids of the build's sessions in the environment, because insights do not include their environment. Null for all
 * environments.
 */
async function readSessionIds(
  context: Context,
  client: GateClient,
  game: string,
  build: string,
  env = "production",
): Promise<Set<string> | null> {
  if (env === "all") return null;
  const ids = new Set<string>();
  const pages = readPages(context, { limit: MAX_ITEMS_READ, offset: 0, all: false }, (range) =>
    client.listSessions({ game, build, env, ...range }),
  );
  for await (const { items } of pages) for (const { id } of items) ids.add(id);
  return ids;
}
