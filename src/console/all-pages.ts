/** The table of all pages. */
import type { Page } from "./page.ts";
import { buildPage } from "./pages/build.ts";
import { buildsPage } from "./pages/builds.ts";
import { comparePage } from "./pages/compare.ts";
import { gamesPage } from "./pages/games.ts";
import { heatmapPage } from "./pages/heatmap.ts";
import { insightPage } from "./pages/insight.ts";
import { insightsPage } from "./pages/insights.ts";
import { sessionsPage } from "./pages/sessions.ts";

export const allPages: readonly Page[] = [
  gamesPage,
  buildsPage,
  buildPage,
  comparePage,
  heatmapPage,
  insightsPage,
  insightPage,
  sessionsPage,
];
