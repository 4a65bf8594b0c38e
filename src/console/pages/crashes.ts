/** Crashes by stack signature, those of most testers first. */
import { type CrashGroup, type CrashPage, crashes } from "../../contract/crashes.ts";
import { el } from "../../render/svg/element.ts";
import { describeCrashScope } from "../../render/tables/crashes.ts";
import { EVENTS } from "../../shared/event-names.ts";
import { linkTo } from "../links.ts";
import { createListPage } from "./resource-pages.ts";

const describeScope = (data: CrashPage) => describeCrashScope(data, "a build or a time");

export const crashesPage = createListPage<CrashGroup, CrashPage>(crashes, {
  before: ({ data }) => (data.items.length === 0 ? null : el("p", {}, describeScope(data))),
  empty: ({ data }) => `${describeScope(data)} Omit a filter, or enter “all” as the environment.`,
  link: ({ sessionId }, game) =>
    `${linkTo(["games", game, "sessions", sessionId], { event: EVENTS.crash })}#events`,
});
