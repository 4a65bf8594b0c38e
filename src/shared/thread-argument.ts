/** What marks a thread of the program. */

/** The argument of threads. No command line can contain it, because of the NUL. Importing Node's own mark takes milliseconds. */
export const THREAD_ARGUMENT = "\0thread";
