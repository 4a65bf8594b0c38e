/** A report's data as a document: the verdict, the figures at the top, and the sections in the order they are read. */
import type { ReportData } from "../../pictures/report.ts";
import { countOf, methodOf, sentenceOf } from "../gate/words.ts";
import { formatShare } from "../numbers.ts";
import { formatDuration, isoTime } from "../time.ts";
import { methodSection, suggestionsSection, watchSection } from "./advice.ts";
import type { Document, Fact, Section } from "./blocks.ts";
import { frictionSection, quotesSection } from "./friction.ts";
import { eventsSection, playSection, roomsSection } from "./play.ts";

const titles = {
  passed: "The gate passes",
  failed: "The gate fails",
  inconclusive: "The gate cannot tell",
} as const;

/** The whole document; times in the zone, such as Europe/Berlin. */
export function reportDocument(data: ReportData, tz: string): Document {
  const { game, environment, verdict } = data;
  const { a, b } = verdict;
  const where = environment === "all" ? "every environment" : environment;
  const sections: Section[] = [
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
    subtitle: `${countOf(b.testers, "tester")} of ${b.version} beside ${countOf(a.testers, "tester")} of ${a.version}, in ${where}.`,
    verdict: {
      state: verdict.verdict,
      title: titles[verdict.verdict],
      sentence: `${sentenceOf(verdict)} ${methodOf(verdict)}`,
      reasons: verdict.reasons,
    },
    facts: factsOf(data),
    sections,
    footer: `Made by playtest at ${isoTime(data.generatedAt, tz)}, of what the service told then.`,
  };
}

function factsOf({ friction, builds, environment }: ReportData): Fact[] {
  const count = (kind: string) => friction.changes.filter((change) => change.kind === kind).length;
  const tags = (kind: string, label: string, mood: Fact["mood"]): Fact => {
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
