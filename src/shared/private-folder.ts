/** Folders that only their owner may enter, for settings, keys and the state of commands. */
import { chmodSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { createFolder } from "./create-folder.ts";

const PRIVATE_FOLDER_MODE = 0o700;
const OPEN_TO_OTHERS = 0o077;

/**
 * Creates a folder that only its owner can enter, with its parents. An existing folder of the user is made private if
 * others can enter it. Throws the system's error if the folder cannot be created.
 */
export function createPrivateFolder(path: string): void {
  createFolder(path, PRIVATE_FOLDER_MODE);
  const { mode, uid } = statSync(path);
  if ((mode & OPEN_TO_OTHERS) === 0 || uid !== findOwnUid()) return;
  try {
    chmodSync(path, PRIVATE_FOLDER_MODE);
  } catch {
    // Some file systems have no permissions. The files in the folder are private in any case.
  }
}

/** The user's id; null where users have none, such as on Windows. */
function findOwnUid(): number | null {
  try {
    const { uid } = userInfo();
    return uid < 0 ? null : uid;
  } catch {
    return null;
  }
}
