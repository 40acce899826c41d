/** Makes short, plain names from free text. Pure. */
import { fnv1a } from "../../base/text/hash.ts"

/** Long enough to recognise a title, short enough for any file system or database. */
export const SLUG_LENGTH_MAX = 40

/** `text` as lower-case ASCII words joined by `-`; empty if it has none. */
export function slug(text: string): string {
  const words = text
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
  return words.slice(0, SLUG_LENGTH_MAX).replace(/-$/, "")
}

/**
 * The task's id and title as one name, e.g. `7-fix-the-typo`; `7` if the title has no ASCII words.
 */
export function taskName(task: number, title: string): string {
  return [task, slug(title)].filter((part) => part !== "").join("-")
}

export type Named = {
  readonly home: string
  readonly task: number
  readonly title: string
  readonly repo: string
}

/** Enough digits to keep the tasks of all homes on a machine apart. */
const HASH_DIGITS = 8

/**
 * A name that every database accepts unquoted, e.g. `t7_fix_the_typo_3c1f09ab`, unique to home,
 * task and repository. At most {@link SLUG_LENGTH_MAX} characters.
 */
export function databaseSlug({ home, task, title, repo }: Named): string {
  const hash = fnv1a(JSON.stringify([home, task, repo])).slice(-HASH_DIGITS)
  const words = `t${taskName(task, title)}`.slice(0, SLUG_LENGTH_MAX - HASH_DIGITS - 1)
  return `${words.replace(/-$/, "")}_${hash}`.replaceAll("-", "_")
}
