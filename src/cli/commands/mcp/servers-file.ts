/** An assistant's settings file. All other content is preserved, and the file is replaced atomically. */
import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { PRIVATE_MODE, writeFileAtomically } from "../../../shared/atomic-file.ts";
import { createFolder } from "../../../shared/create-folder.ts";
import { fail } from "../../errors.ts";
import { failToRead } from "../../file-errors.ts";

type SettingsObject = Record<string, unknown>;

export interface ServersFile {
  /** The file to write, with symbolic links resolved. */
  readonly target: string;
  /** The same path, or null if the file does not exist yet. */
  readonly path: string | null;
  /** The content of the file when it was read. */
  readonly text: string;
  readonly content: SettingsObject;
  /** The servers in the file, by name. */
  readonly servers: SettingsObject;
  readonly indent: string;
  readonly mode: number;
}

/** Reads the file. Throws `config` if it cannot be read, or could not be rewritten without losing content. */
export function readServers(file: string, key: string): ServersFile {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT")
      throw failToRead(
        file,
        "Check the permissions of the file, or add the output of --print by hand.",
        cause,
      );
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
      throw invalidFile(file, "is a broken symbolic link");
    return { target: file, path: null, text: "", content: {}, servers: {}, indent: "  ", mode: 0o666 };
  }
  const target = realpathSync(file);
  const content = text.trim() === "" ? {} : parse(text, file);
  const servers = content[key] ?? {};
  if (!isSettingsObject(servers))
    throw invalidFile(file, `has a field ${JSON.stringify(key)} that is not an object`);
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  return { target, path: target, text, content, servers, indent, mode: statSync(target).mode & 0o777 };
}

function parse(text: string, file: string): SettingsObject {
  const plain = text.replace(/^\uFEFF/, "");
  let content: unknown;
  try {
    content = JSON.parse(plain);
  } catch {
    throw invalidFile(file, "is not plain JSON (comments and trailing commas cannot be preserved)");
  }
  if (!isSettingsObject(content)) throw invalidFile(file, "is not a JSON object");
  if (!isLossless(plain, content))
    throw invalidFile(
      file,
      "contains values that rewriting would change, such as a duplicate name or a number with too many digits",
    );
  return content;
}

/** Whether parsing kept everything: duplicate names and digits beyond the precision of a double are lost. */
function isLossless(text: string, value: SettingsObject): boolean {
  const tokens = (json: string) =>
    // Different escapes of a string and different notations of a short number are equal.
    (json.match(/"(?:[^"\\]|\\.)*"|[-+.\w]+|\S/g) ?? []).map((token) =>
      token.startsWith('"') || isShortNumber(token) ? JSON.stringify(JSON.parse(token)) : token,
    );
  // Sorted, because JavaScript moves names that are integers to the front of an object.
  return tokens(text).sort().join("") === tokens(JSON.stringify(value)).sort().join("");
}

/** Whether a double represents the number exactly; 15 significant digits always fit. */
const isShortNumber = (token: string) => /^-?[\d.]{1,15}$/.test(token);

function invalidFile(file: string, reason: string): Error {
  return fail("config", {
    message: `${file} ${reason}`,
    hint: "Nothing was written. Fix the file, or add the output of --print by hand.",
  });
}

const isSettingsObject = (value: unknown): value is SettingsObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Adds or replaces one server. A file with a secret is readable only by its owner. Throws `config` if the file has changed
 * since it was read, or cannot be written.
 */
export async function writeServers(
  { target, text, content, servers, indent, mode }: ServersFile,
  key: string,
  name: string,
  entry: object,
  secret: boolean,
): Promise<void> {
  if (readServers(target, key).text !== text) throw invalidFile(target, "has changed since it was read");
  const after = { ...content, [key]: { ...servers, [name]: entry } };
  try {
    createFolder(dirname(target));
    await writeFileAtomically(target, `${JSON.stringify(after, null, indent)}\n`, {
      mode: secret ? PRIVATE_MODE : mode,
    });
  } catch (cause) {
    const message = `Cannot write ${target}: ${(cause as Error).message}`;
    throw fail("config", { message, hint: "Check the folder's permissions and the free disk space.", cause });
  }
}
