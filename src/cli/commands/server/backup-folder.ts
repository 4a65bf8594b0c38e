/** The folder that backups are written to. */
import { createFolder } from "../../../shared/create-folder.ts";
import { fail } from "../../errors.ts";
import { fileErrorReasons } from "../../file-errors.ts";

/** Creates the folder if it is missing. Throws `config` if that fails. */
export function createBackupFolder(folder: string, flag: string): void {
  try {
    createFolder(folder, 0o700);
  } catch (cause) {
    const { code = "", message } = cause as NodeJS.ErrnoException;
    const reason = code === "EEXIST" ? "it is a file" : (fileErrorReasons[code] ?? message);
    throw fail("config", {
      message: `Cannot create the folder ${folder}: ${reason}`,
      hint: `Specify another folder with ${flag}.`,
      cause,
    });
  }
}
