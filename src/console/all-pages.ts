/** The table of all pages. */
import type { Page } from "./page.ts";
import { buildsPage } from "./pages/builds.ts";
import { gamesPage } from "./pages/games.ts";
import { sessionsPage } from "./pages/sessions.ts";

export const allPages: readonly Page[] = [gamesPage, buildsPage, sessionsPage];
