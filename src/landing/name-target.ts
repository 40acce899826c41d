/** Names a target for a person, with its repository if the landing has several. */
import { branchOf } from "../core/ids.ts"
import type { Landing, LandingRepo } from "../store/landings/row.ts"

export function nameTarget({ repos }: Landing, { name, target }: LandingRepo): string {
  return repos.length > 1 ? `${branchOf(target)} of ${name}` : branchOf(target)
}
