/** The migrations, in order: numbered and append-only. */
import type { Migration } from "kysely";
import * as play from "./001-play.ts";

export const migrations: Record<string, Migration> = {
  "001-play": play,
};
