/** The message of a commit that stands for several. Pure. */
import type { Oid } from "../../core/ids.ts"

type Original = { readonly oid: Oid; readonly message: string }

/**
 * Names every original commit, so that what was squashed can be found again.
 *
 * @param title text.
 * @returns one char per raw byte.
 */
export function squashedMessage(title: string, commits: readonly Original[]): string {
  const lines = commits.map(({ oid, message }) => `* ${oid.slice(0, 12)} ${message.split("\n")[0]}`)
  const why = "Squashed, because these commits do not apply one by one:"
  return `${Buffer.from(title).toString("latin1")}\n\n${why}\n\n${lines.join("\n")}\n`
}
