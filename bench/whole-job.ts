/** The overhead of a job: from submission to the landed commit, against the same git by hand. */
import { execFileSync } from "node:child_process"
import type { Figure, Place, Samples } from "./figure.ts"
import { AGENT_COMMAND, Fleet } from "./fleet.ts"
import { GIT_ENV } from "./generated-repo.ts"
import { timeRounds } from "./rounds.ts"

const FILES = 2_000
const ROUNDS = 15

const BY_HAND = `set -e
git worktree add --quiet -b hand "$1.worktrees/hand"
cd "$1.worktrees/hand"
${AGENT_COMMAND}
git add --all
git commit --quiet --message work
git rebase --quiet main
cd "$1"
git merge --quiet --ff-only hand
git worktree remove "$1.worktrees/hand"
git branch --quiet -d hand`

export const wholeJob: Figure = {
  name: "job",
  subject: `a command's job, submitted over HTTP to the daemon, until its task is complete; ${FILES} files`,
  baseline:
    "git worktree add, the command, add, commit, rebase, merge --ff-only, worktree remove, branch -d",
  unit: "ms",
  ratioMax: 2.3,
  measure,
}

async function measure(place: Place): Promise<Samples> {
  await using fleet = new Fleet(place, { files: FILES })
  await fleet.coppice("up", "--detach")
  const tasks = fleet.tasks()
  const byHand = ["-c", BY_HAND, "sh", fleet.repo]
  const samples = await timeRounds({
    rounds: ROUNDS,
    signal: place.signal,
    baseline: () => execFileSync("sh", byHand, { cwd: fleet.repo, env: GIT_ENV }),
    subject: () => tasks.next(),
  })
  await tasks.return()
  return samples
}
