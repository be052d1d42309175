// What the page remembers from visit to visit: small things under a name, the last of a kind. Without storage it remembers nothing.

export function remember(kind: string, name: string, value: unknown): void {
  try {
    localStorage.setItem(`bunraku-${kind}`, JSON.stringify({ name, value }));
  } catch {
    // storage is closed to pages of the file system in some browsers
  }
}

/** What was remembered of a kind, if it was under this name. */
export function recall<T>(kind: string, name: string): T | null {
  try {
    const kept = JSON.parse(localStorage.getItem(`bunraku-${kind}`) ?? "null") as { name: string; value: T } | null;
    return kept && kept.name === name ? kept.value : null;
  } catch {
    return null;
  }
}
