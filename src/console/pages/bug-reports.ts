/** What players reported from inside the game. */
import { bugReportSeverities, getBugReport, listBugReports } from "../../contract/bug-reports.ts";
import { el, fragment } from "../../render/svg/element.ts";
import { bugReportColumns, bugReportDetails } from "../../render/tables/bug-reports.ts";
import { CELLS } from "../cells.ts";
import { toFlags, toTimeFlags } from "../command-line.ts";
import { detailList } from "../details.ts";
import { pager } from "../elements.ts";
import { filterForm, timeField } from "../filter-form.ts";
import { buildLink, sessionLink, trailTo } from "../game-links.ts";
import { linkTo } from "../links.ts";
import { choiceParam, definePage, readTime, textParam, timeParam } from "../page.ts";
import { chooseColumns, dataTable } from "../table.ts";
import { PAGE_SIZE, pagedParams, toPageFlags } from "./list.ts";

/** The title leads to the report. */
const columns = chooseColumns(bugReportColumns, [
  "title",
  "severity",
  "build",
  "environment",
  "platform",
  "createdAt",
]);

export const bugReportsPage = definePage({
  path: "/games/{game}/bug-reports",
  query: {
    ...{ build: textParam, env: textParam, severity: choiceParam(bugReportSeverities) },
    ...{ from: timeParam, to: timeParam },
    ...pagedParams,
  },
  async show({ params: { game }, query, ...input }, { call, now }) {
    const { build, env, severity, from, to, offset = 0 } = query;
    const range = { from: readTime(from, now), to: readTime(to, now) };
    const filter = { build, env, severity, ...range };
    const data = await call(listBugReports, { game, ...filter, limit: PAGE_SIZE, offset });
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    return {
      title: "Bug reports",
      trail: trailTo(game),
      game,
      body: fragment(
        filterForm(input, [
          { name: "build", label: "Build", placeholder: "all" },
          { name: "env", label: "Environment", placeholder: "all" },
          {
            ...{ name: "severity", label: "Severity", any: "all" },
            choices: bugReportSeverities.map((value) => ({ value })),
          },
          timeField("from", "From"),
          timeField("to", "To"),
        ]),
        dataTable(data.items, columns, {
          caption: "Bug reports, newest first",
          link: ({ id }) => linkTo(["games", game, "bug-reports", id]),
          links: { build: ({ build }) => buildLink(game, build) },
          stacks: true,
          empty: el(
            "p",
            {},
            isFiltered
              ? "No bug reports match. Omit a filter."
              : "No bug reports yet. They appear when players send them from a form inside the game.",
          ),
        }),
        pager(input, { offset, count: data.items.length, total: data.total, limit: PAGE_SIZE }),
      ),
      command: [
        ...["bug-reports", "list", "--game", game],
        ...toFlags({ "--build": build, "--env": env, "--severity": severity }),
        ...toTimeFlags({ "--from": from, "--to": to }),
        ...toPageFlags(offset),
      ],
      data,
    };
  },
});

export const bugReportPage = definePage({
  path: "/games/{game}/bug-reports/{id}",
  query: {},
  async show({ params: { game, id } }, { call }) {
    const data = await call(getBugReport, { game, id });
    const { report } = data;
    return {
      title: report.title,
      trail: trailTo(game, ["bug-reports", "Bug reports"]),
      game,
      body: detailList(bugReportDetails(report, CELLS).slice(1), {
        Build: buildLink(game, report.build),
        Session: report.sessionId == null ? null : sessionLink(game, report.sessionId),
      }),
      command: ["bug-reports", "get", id, "--game", game],
      data,
    };
  },
});
