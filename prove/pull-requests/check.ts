/** Asks the forge and its repository whether the promises about pull requests held. */
import type { PullWorld } from "./world.ts"

/** Called after each step. @returns a sentence for each branch that has two open pull requests. */
export function checkOpen({ open }: PullWorld): string[] {
  const byBranch = Map.groupBy(open, ({ head }) => head)
  return [...byBranch].flatMap(([head, pulls]) => {
    const named = pulls.map(({ number, base }) => `${number} into ${base}`).join(", ")
    return pulls.length > 1 ? [`${head} has several open pull requests: ${named}`] : []
  })
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

/**
 * A commit that a person pushed is still in its branch, or was merged with it. Once the agent took it in,
 * a rebase may give it another id: then its file is there.
 */
function checkPushes({ pulls, pushes }: PullWorld): string[] {
  const succeeds = (...args: readonly string[]) => {
    try {
      pulls.git(...args)
      return true
    } catch {
      return false
    }
  }
  return pushes.flatMap(({ branch, commit, file }) => {
    const contains = (tip: string) =>
      succeeds("merge-base", "--is-ancestor", commit, tip) ||
      succeeds("cat-file", "-e", `${tip}:${file}`)
    const heads = pulls.all
      .filter(({ head }) => head === branch)
      .map(({ mergedHead }) => mergedHead)
    const tips = [pulls.tip(branch), ...heads].filter((tip) => tip !== null && tip !== "")
    const isThere = tips.some((tip) => contains(tip ?? ""))
    return isThere ? [] : [`the commit ${commit} that a person pushed to ${branch} is gone`]
  })
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

/** Nothing moves the local target, and git's locks are gone. */
function checkLocal({ fleet, main }: PullWorld): string[] {
  const now = fleet.repo.tip("main")
  return now === main ? [] : [`the local main moved from ${main} to ${now}`]
}
