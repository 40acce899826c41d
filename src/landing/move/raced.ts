/** The outcome of a lost race: a target moved after its candidate was made. */
import type { LandingRepo } from "../../store/landings/row.ts"
import type { LandingStep, Outcome } from "../action.ts"
import { nameTarget } from "../name-target.ts"

/** The landing begins again. Uses no attempts. */
export const raced = ({ landing }: LandingStep, repo: LandingRepo): Outcome => ({
  event: "moved",
  outcome: "FF_NOT_POSSIBLE",
  reason: `${nameTarget(landing, repo)} moved while the landing was under way`,
  races: landing.races + 1,
})
