/** The findings behind what a gate failed on or warned of. */
import { insightTypes } from "../../../contract/insights.ts";
import type { GateVerdict } from "../../../gate/verdict.ts";
import type { Context } from "../../context.ts";
import { readPages } from "../gather.ts";
import type { GateClient, GateQuery } from "./comparison.ts";

/** Findings told for a tag. */
const MAX_EVIDENCE_PER_TAG = 3;
/** Findings and sessions that are read for it at most. */
const MAX_ITEMS_READ = 500;

/** The verdict with the newest findings in b behind each tag that counted. */
export async function withEvidence(
  context: Context,
  client: GateClient,
  { game, env, b }: GateQuery,
  verdict: GateVerdict,
): Promise<GateVerdict> {
  const counted = verdict.findings.filter(({ status }) => status === "failed" || status === "warned");
  if (counted.length === 0) return verdict;
  const inEnv = await readSessionIds(context, client, game, b, env);
  const byTag = new Map<string, GateVerdict["findings"][number]["evidence"]>(
    counted.map(({ tag }) => [tag, []]),
  );
  const types = new Set(counted.map(({ tag }) => tag.split(":")[0]));
  for (const type of insightTypes.filter((one) => types.has(one))) {
    const pages = readPages(context, { limit: MAX_ITEMS_READ, offset: 0, all: false }, (range) =>
      client.listInsights({ game, build: b, type, ...range }),
    );
    for await (const { items } of pages) {
      for (const { id, sessionId, tag, title } of items) {
        const known = byTag.get(tag ?? "");
        const isHere = inEnv === null || inEnv.has(sessionId);
        if (known && isHere && known.length < MAX_EVIDENCE_PER_TAG)
          known.push({ insightId: id, sessionId, title: title ?? null });
      }
    }
  }
  const findings = verdict.findings.map((one) => ({ ...one, evidence: byTag.get(one.tag) ?? one.evidence }));
  return { ...verdict, findings };
}

/** The sessions of the build in the environment, for insights do not tell theirs; null for every environment. */
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
