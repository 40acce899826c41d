/**
 * Plans how a person gives up a decided landing that waits.
 *
 * All or none: a separate landing reverts the published part, as in give-up.ts. The caller records
 * both in one transaction.
 */
import type { Landing } from "../../store/landings/row.ts"
import type { Db } from "../../store/open.ts"
import { isPublished } from "../move/is-published.ts"
import type { Work } from "../submit-work.ts"
import { planTakeBack } from "./take-back.ts"

/** The work to submit when the landing is cancelled, and a sentence about it for people. */
export type Abandoned = { readonly takeBack: Work | null; readonly reason: string }

/** @returns undefined if the landing cannot be given up in this way. */
export async function planAbandoning(db: Db, landing: Landing): Promise<Abandoned | undefined> {
  if (!landing.decided || landing.state !== "waiting") return undefined
  if (landing.repos.some(({ intent }) => intent !== null)) return undefined // a checkout needs repair first
  const moved = []
  for (const repo of landing.repos)
    if (repo.published && (await isPublished({ context: { db }, landing }, repo))) moved.push(repo)
  if (moved.length === 0) return { takeBack: null, reason: "it was given up" }
  const names = moved.map(({ name }) => name).join(", ")
  const planned = await planTakeBack(db, landing, moved)
  return planned.kind === "planned"
    ? { takeBack: planned.work, reason: `it was given up, and is taken back in ${names}` }
    : { takeBack: null, reason: `it was given up; in ${names} ${planned.reason}` }
}
