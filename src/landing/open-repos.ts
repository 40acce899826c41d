/** In which of a landing's repositories there is something left to do. */
import type { Landing, LandingRepo } from "../store/landings/row.ts"

/** Those whose target this landing has not moved. */
export const listOpen = ({ repos }: Landing): LandingRepo[] =>
  repos.filter(({ published }) => !published)

/** Of those, the ones with something that their target does not have. */
export const listToPublish = (landing: Landing): LandingRepo[] =>
  listOpen(landing).filter(({ base, candidate }) => candidate !== base)
