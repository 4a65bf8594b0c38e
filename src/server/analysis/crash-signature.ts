/**
 * The signature of a crash: what equal crashes have in common. Crashes are grouped as crash collectors such as Socorro and
 * Sentry do it: by the kind of the crash and the top frames of its stack. Frames of the runtime and the engine are skipped,
 * because they are the same for different bugs, unless there are no others. Addresses, offsets, line numbers, paths and
 * parameters are removed, because they differ between builds and devices. Without a stack, the words of the message without
 * numbers take its place.
 */

/** The parts of a crash that are shown and compared. */
interface CrashSignature {
  readonly signature: string;
  readonly message: string | null;
}

type CrashData = Readonly<Record<string, unknown>> | null | undefined;

/** Number of frames in a signature. More would separate crashes that reach the same function in different ways. */
const MAX_FRAMES = 3;
/** Number of lines of a stack that are read, and of characters of one line. */
const MAX_LINES = 200;
const MAX_LINE_LENGTH = 500;
/** Number of words of a message in a signature. */
const MAX_WORDS = 12;
const MAX_PART_LENGTH = 120;

const stackFields = ["stack", "stackTrace", "stack_trace", "stacktrace", "callstack", "backtrace"] as const;
const kindFields = ["exception", "type", "signal", "code", "name"] as const;
const messageFields = ["message", "reason", "error", "description"] as const;

/** How frames of runtimes, systems and engines begin, in lower case. */
const RUNTIME_FRAMES = [
  ...["unityengine.", "unityeditor.", "unityplayer", "system.", "mscorlib", "mono_", "il2cpp"],
  ...["libc", "libsystem", "ntdll", "kernel32", "kernelbase", "ucrtbase", "abort", "raise", "__"],
  ...["std::", "core::panicking", "std::panicking", "rust_begin_unwind", "fplatformmisc", "fdebug::"],
  ...["node:internal", "process.processticksandrejections", "godot::", "signal handler"],
];

/** Computes the signature of a crash event from its data. */
export function computeCrashSignature(data: CrashData): CrashSignature {
  const message = readText(data, messageFields);
  const kind = readText(data, kindFields);
  const frames = selectFrames(readStack(data));
  const place = frames.length > 0 ? frames.join(" | ") : normalizeMessage(message);
  const parts = [kind === null ? null : shorten(kind), place, frames.length > 0 ? null : readModule(data)];
  const signature = parts.filter((part) => part !== null && part !== "").join(": ");
  return { signature: signature === "" ? "no details" : signature, message };
}

/** The first of the fields that has text or a number. */
function readText(data: CrashData, fields: readonly string[]): string | null {
  for (const field of fields) {
    const value = data && Object.hasOwn(data, field) ? data[field] : null;
    if (typeof value === "string" && value.trim() !== "") return value.trim();
    if (typeof value === "number" && Number.isFinite(value)) return String(value);
  }
  return null;
}

function readModule(data: CrashData): string | null {
  const module = readText(data, ["module"]);
  return module === null ? null : shorten(baseName(module));
}

const shorten = (text: string) => text.slice(0, MAX_PART_LENGTH);

/** The lines of a stack: of text, or of a list of texts or of objects with a function and a module. */
function readStack(data: CrashData): string[] {
  for (const field of stackFields) {
    const value = data && Object.hasOwn(data, field) ? data[field] : null;
    const lines = typeof value === "string" ? value.split("\n", MAX_LINES) : value;
    if (Array.isArray(lines) && lines.length > 0)
      return lines.slice(0, MAX_LINES).flatMap((line: unknown) => readFrame(line) ?? []);
  }
  return [];
}

function readFrame(frame: unknown): string | null {
  if (typeof frame === "string") return frame.slice(0, MAX_LINE_LENGTH);
  if (typeof frame !== "object" || frame === null) return null;
  const fields = frame as Record<string, unknown>;
  const name = readText(fields, ["function", "method", "symbol", "name"]);
  return name === null ? null : name.slice(0, MAX_LINE_LENGTH);
}

/** The first frames of the game; if the stack has only frames of the runtime, the first of those. */
function selectFrames(lines: readonly string[]): string[] {
  const frames = lines.map(normalizeFrame).filter((frame) => frame !== "");
  const own = frames.filter((frame) => !isRuntimeFrame(frame));
  return (own.length > 0 ? own : frames).slice(0, MAX_FRAMES);
}

function isRuntimeFrame(frame: string): boolean {
  const name = frame.toLowerCase();
  return RUNTIME_FRAMES.some((prefix) => name.startsWith(prefix));
}

/** Words that precede the function in a line of a stack. */
const LEADING_WORDS = new Set(["at", "in", "async", "new", "from", "called"]);
const NUMBER_OR_ADDRESS = /^(#?\d+:?|\[\d+\]|0x[0-9a-f]+:?|[0-9a-f]{8,16})$/i;

/** The function that a line of a stack names; empty for a line without one, such as the message above the stack. */
function normalizeFrame(line: string): string {
  const words = line.trim().split(/\s+/);
  const start = words.findIndex(
    (word) => !LEADING_WORDS.has(word.toLowerCase()) && !NUMBER_OR_ADDRESS.test(word),
  );
  const isFrame = start > 0 || /[(!]|::|\.\w/.test(line);
  const name = start === -1 || !isFrame ? "" : (words[start] ?? "");
  return shorten(removeParameters(name));
}

/** The name of a function without parameters, offsets, hashes and the path of its module. */
function removeParameters(name: string): string {
  const end = name.search(/[(<+@{]/);
  const bare = end > 0 ? name.slice(0, end) : name;
  const [module, symbol] = bare.split("!");
  const named = symbol ? `${baseName(module ?? "")}!${symbol}` : baseName(bare);
  return trimPunctuation(named.replace(/:\d+/g, "").replace(/::h[0-9a-f]{16}$/, ""));
}

/** The text without punctuation at its end. */
function trimPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && ":,;".includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** The last part of a path. */
const baseName = (path: string) => path.split(/[\\/]/).at(-1) ?? path;

/** The first words of a message, without numbers and addresses. */
function normalizeMessage(message: string | null): string | null {
  if (message === null) return null;
  const words = message.slice(0, MAX_LINE_LENGTH).split(/\s+/, MAX_WORDS);
  return shorten(words.map((word) => (/\d/.test(word) ? "…" : word)).join(" "));
}
