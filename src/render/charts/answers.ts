/** What a chart shows in one line with its scope, for terminals. Texts are not escaped. */
import { trendChart } from "../../charts/trend.ts";
import { describeWhere } from "../../contract/fields.ts";
import type { Retention } from "../../contract/retention.ts";
import type { Trend } from "../../contract/trends.ts";
import type { RenderOptions } from "../options.ts";
import { renderParagraph } from "../paragraph.ts";
import { painter } from "../style.ts";
import { cleanLine, displayWidth } from "../text.ts";
import { formatValue } from "./values.ts";

/** An answer and its scope. */
export interface Answer {
  readonly text: string;
  readonly where: string;
}

/** The answer with its scope, which gets a line of its own if both do not fit into one. */
export function renderAnswer({ text, where }: Answer, options: RenderOptions): string[] {
  const paint = painter(options);
  const line = cleanLine(`${text} · ${where}`);
  const isWide = options.tty && displayWidth(line) > options.width;
  const head = isWide ? renderParagraph(cleanLine(text), "", options) : [line];
  return [
    ...head.map((part) => paint(part, "strong")),
    ...(isWide ? renderParagraph(cleanLine(where), "  ", options) : []),
  ];
}

const FOR_PEOPLE = { tty: true };

/** The values of the last two builds, such as `Testers without a crash: 96.3% in 0.9.0, 95.0% in 0.8.0`. */
export function answerTrend(trend: Trend): Answer {
  const { unit, title } = trendChart(trend);
  const values = trend.points
    .slice(-2)
    .reverse()
    .map(
      ({ build, value }) =>
        `${value == null ? "not known" : formatValue(value, unit, FOR_PEOPLE)} in ${build}`,
    );
  return { text: `${title}: ${values.join(", ")}`, where: describeWhere(trend.game.slug, trend.environment) };
}

/** The share of testers of the last two builds that came back on the first day that is known of both. */
export function answerRetention({ game, environment, cohorts }: Retention): Answer {
  const known = cohorts.toReversed().flatMap(({ build, days }) => {
    const first = days.find(({ rate }) => rate !== null);
    return first?.rate == null ? [] : [{ build, day: first.day, rate: first.rate }];
  });
  const where = describeWhere(game.slug, environment);
  const [latest] = known;
  if (latest === undefined) return { text: "Not known yet which testers came back", where };
  const shares = known
    .filter(({ day }) => day === latest.day)
    .slice(0, 2)
    .map(({ build, rate }) => `${formatValue(rate, "share", FOR_PEOPLE)} of ${build}`);
  return { text: `Testers who came back on day ${latest.day}: ${shares.join(", ")}`, where };
}
