/** The table of all pages. */
import { resources } from "../contract/resources.ts";
import type { Page } from "./page.ts";
import { batchPage } from "./pages/batch.ts";
import { buildPage } from "./pages/build.ts";
import { buildsPage } from "./pages/builds.ts";
import { comparePage } from "./pages/compare.ts";
import { dropoffPage } from "./pages/dropoff.ts";
import { eventsPage } from "./pages/events.ts";
import { experimentPage } from "./pages/experiment.ts";
import { feedbackPage, submissionPage } from "./pages/feedback.ts";
import { funnelPage } from "./pages/funnel.ts";
import { heatmapPage } from "./pages/heatmap.ts";
import { insightPage } from "./pages/insight.ts";
import {
  crashesPage,
  experimentsPage,
  gamesPage,
  insightsPage,
  neverPlayedPage,
  sessionsPage,
  testersPage,
} from "./pages/list-pages.ts";
import { livePage } from "./pages/live.ts";
import { reportPage } from "./pages/report.ts";
import { createItemPage, createListPage } from "./pages/resource-pages.ts";
import { sessionPage } from "./pages/session.ts";
import { statusPage } from "./pages/status.ts";
import { suggestionsPage } from "./pages/suggestions.ts";
import { testerPage } from "./pages/tester.ts";

/** The lists whose pages are more than their definitions. */
const special: Readonly<Record<string, readonly Page[]>> = { feedback: [feedbackPage, submissionPage] };

export const allPages: readonly Page[] = [
  gamesPage,
  statusPage,
  suggestionsPage,
  buildsPage,
  buildPage,
  comparePage,
  reportPage,
  dropoffPage,
  funnelPage,
  heatmapPage,
  insightsPage,
  insightPage,
  sessionsPage,
  sessionPage,
  testersPage,
  neverPlayedPage,
  testerPage,
  experimentsPage,
  experimentPage,
  eventsPage,
  ...resources
    .filter(({ page }) => page)
    .flatMap(
      (list) => special[list.name] ?? [createListPage(list), ...(list.get ? [createItemPage(list)] : [])],
    ),
  batchPage,
  crashesPage,
  livePage,
];
