/** sessions: one row per session. Events are counted by sessions too. */
import { sessions as resource, type Session } from "../../contract/sessions.ts";
import type { ListSource } from "./lists.ts";
import { createListDataset } from "./resource-dataset.ts";

export const sessionList: ListSource<Session> = {
  name: "sessions",
  fetch: ({ client }, query) => client.listSessions(query),
  getTime: ({ recordedAt }) => recordedAt,
};

export const sessions = createListDataset(resource, { source: sessionList });
