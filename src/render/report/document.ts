/** A report's data as a document: the verdict, the figures at the top, and the sections in the order they are read. */
import type { ReportData } from "../../charts/report.ts";
import { describeMethod, formatCount, summarizeVerdict } from "../gate/words.ts";
import { formatShare } from "../numbers.ts";
import { formatDuration, isoTime } from "../time.ts";
import { eventsSection, playSection, roomsSection } from "./activity.ts";
import { methodSection, suggestionsSection, watchSection } from "./advice.ts";
import type { ReportDocument, ReportFact, ReportSection } from "./blocks.ts";
import { frictionSection, quotesSection } from "./friction.ts";

const titles = {
  passed: "The gate passes",
  failed: "The gate fails",
  inconclusive: "The gate cannot tell",
} as const;

/** The whole document; times in the zone, such as Europe/Berlin. */
export function reportDocument(data: ReportData, tz: string): ReportDocument {
  const { game, environment, verdict } = data;
  const { a, b } = verdict;
  const where = environment === "all" ? "every environment" : environment;
  const sections: ReportSection[] = [
    frictionSection(data),
    suggestionsSection(data),
    roomsSection(data),
    playSection(data),
    eventsSection(data),
    watchSection(data, tz),
    quotesSection(data),
    methodSection(data),
  ];
  return {
    title: `${game.name}: ${a.version} to ${b.version}`,
    subtitle: `${formatCount(b.testers, "tester")} of ${b.version} beside ${formatCount(a.testers, "tester")} of ${a.version}, in ${where}.`,
    verdict: {
      state: verdict.verdict,
      title: titles[verdict.verdict],
      sentence: `${summarizeVerdict(verdict)} ${describeMethod(verdict)}`,
      reasons: verdict.reasons,
    },
    facts: buildFacts(data),
    sections,
    footer: `Made by playtest at ${isoTime(data.generatedAt, tz)}, of what the service told then.`,
  };
}

function buildFacts({ friction, builds, environment }: ReportData): ReportFact[] {
  const count = (kind: string) => friction.changes.filter((change) => change.kind === kind).length;
  const tags = (kind: string, label: string, mood: ReportFact["mood"]): ReportFact => {
    const found = count(kind);
    return { label, value: String(found), mood: found === 0 ? "neutral" : mood };
  };
  const facts = [
    tags("introduced", "introduced", "bad"),
    tags("got_larger", "got larger", "bad"),
    tags("got_smaller", "got smaller", "good"),
    tags("resolved", "resolved", "good"),
  ];
  if (!builds.ok) return facts;
  const { a, b } = builds.value;
  // A build's play is told over all of its environments, whichever the friction is of.
  const where = environment === "all" ? "" : " in every environment";
  return [
    ...facts,
    {
      label: `engaged${where}, was ${formatShare(a.stats.engagementRate)}`,
      value: formatShare(b.stats.engagementRate),
      mood: "neutral",
    },
    {
      label: `median active${where}, was ${formatDuration(a.stats.medianActiveSec)}`,
      value: formatDuration(b.stats.medianActiveSec),
      mood: "neutral",
    },
  ];
}
