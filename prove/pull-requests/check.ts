/** Asks the forge and its repository whether the promises about pull requests held. */
import type { Pulls } from "../../test/support/forge/pulls.ts"
import type { PullWorld, Push } from "./world.ts"

/** Called after each step. @returns a sentence for each pull request that must not be as it is. */
export function checkOpen(world: PullWorld): string[] {
  const { pulls } = world
  for (const { number } of world.open) pulls.find(number) // the forge closes it if its base is gone
  const closed = pulls.all.filter((pull) => pull.state === "closed" && pull.merge === null)
  const merged = new Set(pulls.all.map(({ head, mergedHead }) => `${head} ${mergedHead}`))
  const byBranch = Map.groupBy(world.open, ({ head }) => head)
  return [
    ...[...byBranch].flatMap(([head, all]) => {
      const named = all.map(({ number, base }) => `${number} into ${base}`).join(", ")
      return all.length > 1 ? [`${head} has several open pull requests: ${named}`] : []
    }),
    ...pulls.openedTwice.map((head) => `the open pull request of ${head} was opened again`),
    ...world.open
      .filter(({ head }) => merged.has(`${head} ${pulls.tip(head)}`))
      .map(({ number }) => `pull request ${number} is open, and its commit was merged before`),
    ...closed
      .filter(({ number }) => !world.closed.has(number))
      .map(({ number, base }) => `the forge closed pull request ${number}: ${base} is gone`),
  ]
}

/** Called when everything has settled. @returns a sentence for each promise that was broken. */
export async function checkForge(world: PullWorld): Promise<string[]> {
  return [
    ...checkOpen(world),
    ...checkPushes(world),
    ...(await checkTasks(world)),
    ...checkLocal(world),
  ]
}

/** From its push until it is merged, each commit that its branch moves to has a person's commit. */
function checkPushes({ pulls, pushes, moves }: PullWorld): string[] {
  return pushes.flatMap((push) => {
    const { branch, commit, file } = push
    const ref = `refs/heads/${branch}`
    const merges = pulls.all
      .filter(
        ({ head, mergedHead }) => head === branch && mergedHead && has(pulls, push, mergedHead),
      )
      .map(({ merge }) => merge)
    const since = moves.findIndex((move) => move.ref === ref && move.to === commit)
    const until = moves.findIndex(({ to }, n) => n > since && merges.includes(to))
    const places = moves.slice(since, until < 0 ? moves.length : until)
    const lost = places.find((move) => move.ref === ref && !has(pulls, push, move.to))
    const what = `the commit ${commit} that a person pushed to ${branch}`
    if (since < 0) return [`${what} never arrived`]
    if (lost) return [`${what} is not in ${lost.to}, to which the branch was moved`]
    const isLost = until >= 0 && !isIn(pulls, push, "main")
    return isLost ? [`${what} was merged, and main lacks its ${file}`] : []
  })
}

/**
 * The commit itself, or its change under its author's name: an agent may rebase a commit that it has
 * merged, and a landing may squash it (17.6). Only this commit writes its file, and its author wrote no other.
 */
function has(pulls: Pulls, push: Push, tip: string): boolean {
  const { commit, author } = push
  if (!isIn(pulls, push, tip)) return false
  if (ask(pulls, "merge-base", "--is-ancestor", commit, tip) !== undefined) return true
  const credited = "--format=%an <%ae>%n%(trailers:key=Co-authored-by,valueonly)"
  return (ask(pulls, "log", credited, `${commit}..${tip}`) ?? "").split("\n").includes(author)
}

/** Whether the file is as the person left it. */
function isIn(pulls: Pulls, { commit, file }: Push, tip: string): boolean {
  const found = ask(pulls, "rev-parse", "--verify", "--quiet", `${tip}:${file}`)
  return found !== undefined && found === ask(pulls, "rev-parse", `${commit}:${file}`)
}

/** @returns undefined if git says no. */
function ask(pulls: Pulls, ...args: readonly string[]): string | undefined {
  try {
    return pulls.git(...args)
  } catch {
    return undefined
  }
}

/** The target has the file of each task that says that it landed. */
async function checkTasks(world: PullWorld): Promise<string[]> {
  const { pulls } = world
  const files = pulls.git("ls-tree", "--name-only", "main").split("\n")
  return (await world.tasks()).flatMap(({ id, title, state, landing, pullRequests }) => {
    const file = `file-${title.replace("play ", "")}.txt`
    const [pull] = pullRequests
    const isLanded = state === "complete" && landing?.outcome === "LANDED"
    if (isLanded) world.count("landed")
    if (isLanded && !files.includes(file)) return [`task ${id} landed, and main lacks ${file}`]
    const isMerged = pulls.all.some(
      ({ number, merge }) => number === pull?.number && merge !== null,
    )
    return isMerged && state !== "complete" ? [`task ${id} is ${state}, and was merged`] : []
  })
}

/** Nothing moves the local target. */
function checkLocal({ fleet, main }: PullWorld): string[] {
  const now = fleet.repo.tip("main")
  return now === main ? [] : [`the local main moved from ${main} to ${now}`]
}
