/** Short plain names out of free text. Pure. */

/** Long enough to recognise a title, short enough for any file system or database. */
export const SLUG_LENGTH_MAX = 40

/** `text` as lower-case ASCII words joined by `-`; empty when nothing of it can be kept. */
export function slug(text: string): string {
  const words = text
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
  return words.slice(0, SLUG_LENGTH_MAX).replace(/-$/, "")
}

/** The task's id and title as one name, e.g. `7-fix-the-typo`; `7` when the title gives nothing. */
export function taskName(task: number, title: string): string {
  return [task, slug(title)].filter((part) => part !== "").join("-")
}

/** A name that every database takes unquoted, e.g. `task_7_fix_the_typo`. At most 63 characters. */
export function databaseSlug(task: number, title: string): string {
  return `task_${taskName(task, title)}`.replaceAll("-", "_")
}
