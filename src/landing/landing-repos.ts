/** Lists the repositories in which a landing still has work to do. */
import type { Landing, LandingRepo } from "../store/landings/row.ts"

/** The repositories whose target this landing has not moved. */
export const listOpen = ({ repos }: Landing): LandingRepo[] =>
  repos.filter(({ published }) => !published)

/** The open repositories whose target lacks the work. */
export const listToPublish = (landing: Landing): LandingRepo[] =>
  listOpen(landing).filter(({ base, candidate }) => candidate !== base)
