/**
 * Comments on lines of a diff. The browser keeps them until they are sent, as they are typed, so that
 * a reload or another tab has them, too.
 */
import { useSyncExternalStore } from "react"
import { reveal } from "../../src/base/text/shown.ts"

export type Place = {
  readonly repo: string
  readonly path: string
  /** `old`: a removed line, by its number before the change. */
  readonly side: "old" | "new"
  readonly line: number
  /** The text of the line. After a further change, the same number may be another line. */
  readonly quote: string
}
export type Comment = Place & { readonly words: string }

const KEY = "coppice-comments"
const NONE: readonly Comment[] = []
const read = new Map<string, readonly Comment[]>()
const watchers = new Set<() => void>()

/** Another tab has changed them. */
addEventListener("storage", ({ key }) => {
  if (key !== null && !key.startsWith(KEY)) return
  read.clear()
  for (const watcher of watchers) watcher()
})

/** @param scope the home and the task: another home can get the same port. */
export function useComments(scope: string): readonly Comment[] {
  return useSyncExternalStore(watch, () => commentsOf(scope))
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

function commentsOf(scope: string): readonly Comment[] {
  const known = read.get(scope)
  if (known) return known
  const comments = (JSON.parse(localStorage.getItem(`${KEY} ${scope}`) ?? "null") ??
    NONE) as Comment[]
  read.set(scope, comments)
  return comments
}

/** Adds the comment, or replaces the one at its place. */
export function putComment(scope: string, comment: Comment): void {
  const all = commentsOf(scope)
  const at = all.findIndex((one) => isAt(one, comment))
  store(scope, at < 0 ? [...all, comment] : all.with(at, comment))
}

/** Removes those that are still as given: a person may have typed more. */
export function removeComments(scope: string, gone: readonly Comment[]): void {
  store(
    scope,
    commentsOf(scope).filter(
      (one) => !gone.some((other) => isAt(one, other) && one.words === other.words),
    ),
  )
}

function store(scope: string, comments: readonly Comment[]): void {
  read.set(scope, comments)
  if (comments.length === 0) localStorage.removeItem(`${KEY} ${scope}`)
  else localStorage.setItem(`${KEY} ${scope}`, JSON.stringify(comments))
  for (const watcher of watchers) watcher()
}

export const isAt = (a: Place, b: Place): boolean =>
  (["repo", "path", "side", "line", "quote"] as const).every((key) => a[key] === b[key])

/** One message of all comments, after the words that go with them. */
export function messageOf(words: string, comments: readonly Comment[], repos: number): string {
  const parts = comments.toSorted(byPlace).map((comment) => {
    const place = `${placeWords(comment, repos)}:`
    return [place, `> ${reveal(comment.quote)}`, comment.words.trim()].join("\n")
  })
  return [...(words ? [words] : []), "Comments on lines of your changes:", ...parts].join("\n\n")
}

export function placeWords({ repo, path, side, line }: Place, repos: number): string {
  const where = repos > 1 ? `${reveal(repo)}: ` : ""
  return `${where}${reveal(path)}, ${side === "old" ? "removed line" : "line"} ${line}`
}

const byPlace = (a: Comment, b: Comment): number =>
  a.repo.localeCompare(b.repo) || a.path.localeCompare(b.path) || a.line - b.line
