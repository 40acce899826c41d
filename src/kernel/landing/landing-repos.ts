/** The repositories of a landing: those with work left to do, and a name for their targets. */

import { branchOf } from "../../base/ids.ts"
import type { Landing, LandingRepo } from "./rows/row.ts"

/** The repositories whose target this landing has not moved. */
export const listOpen = ({ repos }: Landing): LandingRepo[] =>
  repos.filter(({ published }) => !published)

/** The open repositories whose target lacks the work. */
export const listToPublish = (landing: Landing): LandingRepo[] =>
  listOpen(landing).filter(({ base, candidate }) => candidate !== base)

export function nameTarget({ repos }: Landing, { name, target }: LandingRepo): string {
  return repos.length > 1 ? `${branchOf(target)} of ${name}` : branchOf(target)
}
