/** URLs without their secrets, for messages and for commands that hints suggest. Both are copied into logs and issues. */

/**
 * A URL without its user name, password, query and fragment. Null if there is an @ after the host: it may belong to a
 * password with an unescaped slash, as in `postgres://me:a/b@host/db`.
 */
export function findPublicUrl(url: string): string | null {
  const match = /^([a-z][a-z0-9+.-]*:\/\/)?(?:[^/?#]*@)?([^@?#]*)(?:[?#][^@]*)?$/i.exec(url);
  return match ? `${match[1] ?? ""}${match[2]}` : null;
}

/** Like `findPublicUrl`, but returns only the scheme if the rest may contain a password. */
export function redactUrl(url: string): string {
  return findPublicUrl(url) ?? `${/^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0] ?? ""}…`;
}
