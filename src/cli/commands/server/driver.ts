/** The database driver, so that `doctor` can check for it without opening a database. */
export { loadDriver } from "../../../server/db/sqlite.ts";
