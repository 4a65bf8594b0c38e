/** An assistant's settings: read so that all it holds is kept, and replaced in one step. */
import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { PRIVATE_MODE, writeFileAtomically } from "../../../shared/atomic-file.ts";
import { fail } from "../../errors.ts";

type SettingsObject = Record<string, unknown>;

export interface ServersFile {
  /** Where it is to be written: behind any links. */
  readonly target: string;
  /** The same, null where there is no such file yet. */
  readonly path: string | null;
  /** What the file held when it was read. */
  readonly text: string;
  /** All that the file holds. */
  readonly content: SettingsObject;
  /** The servers in it, by name. */
  readonly servers: SettingsObject;
  /** What its lines are indented by. */
  readonly indent: string;
  readonly mode: number;
}

/** Reads the file. Throws `config`, naming it, where it is not what can be added to: nothing is lost by guessing. */
export function readServers(file: string, key: string): ServersFile {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT")
      throw fail("config", {
        message: `${file} cannot be read: ${(cause as Error).message}`,
        hint: "Check its permissions, or add by hand what --print shows.",
        cause,
      });
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
      throw broken(file, "is a link that leads nowhere");
    return { target: file, path: null, text: "", content: {}, servers: {}, indent: "  ", mode: 0o666 };
  }
  const target = realpathSync(file);
  const content = text.trim() === "" ? {} : parse(text, file);
  const servers = content[key] ?? {};
  if (!isSettingsObject(servers)) throw broken(file, `holds ${JSON.stringify(key)}, but not as an object`);
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  return { target, path: target, text, content, servers, indent, mode: statSync(target).mode & 0o777 };
}

function parse(text: string, file: string): SettingsObject {
  const plain = text.replace(/^\uFEFF/, "");
  let content: unknown;
  try {
    content = JSON.parse(plain);
  } catch {
    throw broken(file, "is not plain JSON (comments and trailing commas cannot be kept)");
  }
  if (!isSettingsObject(content)) throw broken(file, "holds no JSON object");
  if (!isLossless(plain, content))
    throw broken(
      file,
      "holds what would be changed by writing it again, such as a name twice or a long number",
    );
  return content;
}

/** Whether all of a JSON text is in its value: names that come twice and digits beyond a double are not. */
function isLossless(text: string, value: SettingsObject): boolean {
  const tokens = (json: string) =>
    // However a text is escaped or a short number is written, it is the same.
    (json.match(/"(?:[^"\\]|\\.)*"|[-+.\w]+|\S/g) ?? []).map((token) =>
      token.startsWith('"') || isShortNumber(token) ? JSON.stringify(JSON.parse(token)) : token,
    );
  // In any order, for names that are numbers move to the front.
  return tokens(text).sort().join("") === tokens(JSON.stringify(value)).sort().join("");
}

/** Whether a double holds every digit of it, for 15 are always held. */
const isShortNumber = (token: string) => /^-?[\d.]{1,15}$/.test(token);

function broken(file: string, why: string): Error {
  return fail("config", {
    message: `${file} ${why}`,
    hint: "Nothing was written. Mend the file, or add by hand what --print shows.",
  });
}

const isSettingsObject = (value: unknown): value is SettingsObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Adds or replaces one server. Throws `config` where the file is not as it was read. With a secret in it, the file is its owner's alone. */
export async function writeServers(
  { target, text, content, servers, indent, mode }: ServersFile,
  key: string,
  name: string,
  entry: object,
  secret: boolean,
): Promise<void> {
  if (readServers(target, key).text !== text) throw broken(target, "was changed meanwhile");
  const after = { ...content, [key]: { ...servers, [name]: entry } };
  try {
    await mkdir(dirname(target), { recursive: true });
    await writeFileAtomically(target, `${JSON.stringify(after, null, indent)}\n`, {
      mode: secret ? PRIVATE_MODE : mode,
    });
  } catch (cause) {
    const message = `${target} cannot be written: ${(cause as Error).message}`;
    throw fail("config", { message, hint: "Check the folder's permissions and free space.", cause });
  }
}
