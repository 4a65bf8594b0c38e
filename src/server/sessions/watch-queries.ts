/** Lists the sessions to watch: those with the most and worst problems first, with what makes them so. */
import type { ExpressionBuilder } from "kysely";
import { frictionTypes } from "../../contract/insights.ts";
import type { SessionWatch } from "../../contract/sessions.ts";
import { mean } from "../../statistics/averages.ts";
import type { PageRange } from "../db/list-queries.ts";
import type { Db, Schema, SessionRow } from "../db/schema.ts";
import { toSubmission } from "./feedback-queries.ts";
import { completeSessionItem } from "./list-item.ts";
import { findWatchedRows, type SessionFilter } from "./session-queries.ts";

type WatchedRow = Pick<SessionRow, "game_id" | "id" | "last_room">;

/** Finds one page of list items as JSON text, each with `watch`. */
export async function findWatchedItems(db: Db, filter: SessionFilter, page: PageRange): Promise<string[]> {
  const rows = await findWatchedRows(db, filter, page);
  if (rows.length === 0) return [];
  const problems = await findProblems(db, rows);
  const ratings = await findRatings(db, rows);
  return rows.map((row) => {
    const own = problems.filter((problem) => isOf(problem, row));
    const worst = own.find(({ after_ms }) => after_ms !== null);
    const given = ratings.filter((rating) => isOf(rating, row)).flatMap(({ values }) => values);
    const watch: SessionWatch = {
      problems: own.length,
      lastRoom: row.last_room,
      rating: given.length === 0 ? null : mean(given),
      worst: worst
        ? { insightId: worst.id, title: worst.title, activeSec: Number(worst.after_ms) / 1000 }
        : null,
    };
    return `${completeSessionItem(row).slice(0, -1)},"watch":${JSON.stringify(watch)}}`;
  });
}

const isOf = (part: { readonly game_id: string; readonly session_id: string }, { game_id, id }: WatchedRow) =>
  part.game_id === game_id && part.session_id === id;

/** Whether a row belongs to one of the sessions. */
function belongsTo(rows: readonly WatchedRow[]) {
  const games = [...new Set(rows.map(({ game_id }) => game_id))];
  const sessions = rows.map(({ id }) => id);
  return (eb: ExpressionBuilder<Schema, "insights" | "feedback_submissions">) =>
    eb.and([eb("game_id", "in", games), eb("session_id", "in", sessions)]);
}

/** The problems of sessions, those with the strongest evidence first. */
async function findProblems(db: Db, rows: readonly WatchedRow[]) {
  return await db
    .selectFrom("insights")
    .select(["game_id", "session_id", "id", "title", "after_ms"])
    .where(belongsTo(rows))
    .where("type", "in", [...frictionTypes])
    .orderBy("confidence", "desc")
    .orderBy("after_ms")
    .orderBy("id")
    .execute();
}

/** What the testers of sessions rated, from 1 to 5, by submission. */
async function findRatings(db: Db, rows: readonly WatchedRow[]) {
  const submissions = await db
    .selectFrom("feedback_submissions")
    .selectAll()
    .where(belongsTo(rows))
    .execute();
  return submissions.map(({ game_id, session_id, ...row }) => ({
    ...{ game_id, session_id },
    values: toSubmission(row).responses.flatMap(({ kind, value }) =>
      kind === "rating-1-5" ? Number(value) : [],
    ),
  }));
}
