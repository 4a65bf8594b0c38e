/** The table of all pages. */
import { bugReports } from "../contract/bug-reports.ts";
import { sessions } from "../contract/sessions.ts";
import type { Page } from "./page.ts";
import { buildPage } from "./pages/build.ts";
import { buildsPage } from "./pages/builds.ts";
import { comparePage } from "./pages/compare.ts";
import { crashesPage } from "./pages/crashes.ts";
import { experimentPage } from "./pages/experiment.ts";
import { experimentsPage } from "./pages/experiments.ts";
import { feedbackPage, submissionPage } from "./pages/feedback.ts";
import { gamesPage } from "./pages/games.ts";
import { heatmapPage } from "./pages/heatmap.ts";
import { insightPage } from "./pages/insight.ts";
import { insightsPage } from "./pages/insights.ts";
import { livePage } from "./pages/live.ts";
import { createItemPage, createListPage } from "./pages/resource-pages.ts";
import { sessionPage } from "./pages/session.ts";
import { testerPage } from "./pages/tester.ts";
import { neverPlayedPage, testersPage } from "./pages/testers.ts";

export const allPages: readonly Page[] = [
  gamesPage,
  buildsPage,
  buildPage,
  comparePage,
  heatmapPage,
  insightsPage,
  insightPage,
  createListPage(sessions),
  sessionPage,
  testersPage,
  neverPlayedPage,
  testerPage,
  experimentsPage,
  experimentPage,
  feedbackPage,
  submissionPage,
  createListPage(bugReports),
  createItemPage(bugReports),
  crashesPage,
  livePage,
];
