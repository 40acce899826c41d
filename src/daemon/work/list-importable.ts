/** Lists branches and worktrees with work that belongs to no task: of a person, or of another tool. */
import { branchOf, type Oid, type RefName } from "../../core/ids.ts"
import type { ImportableDocument } from "../../core/wire/landings.ts"
import { findMaker } from "../../core/worktrees/made-by.ts"
import { hasEachChange } from "../../git/ask/cherry.ts"
import { listUnmerged } from "../../git/ask/refs.ts"
import { countCommits } from "../../git/ask/rev-list.ts"
import { readStatus } from "../../git/ask/status.ts"
import { listWorktrees, type Worktree } from "../../git/ask/worktree-list.ts"
import { findOwnerOfWork } from "../../store/tasks/work-item.ts"
import { findOwnWorktree } from "../../store/worktrees.ts"
import type { Home } from "../home.ts"
import { findTarget } from "../repositories/target.ts"
import { listPlaces, type Place } from "./find-work.ts"

/** A person chooses from the list; each entry costs a few git commands. */
const LISTED_MAX = 100

export async function listImportable(fleet: Home): Promise<ImportableDocument> {
  const work: ImportableDocument["work"][number][] = []
  for (const place of await listPlaces(fleet)) work.push(...(await listIn(fleet, place)))
  return { work }
}

type Found = { readonly branch: RefName | undefined; readonly head: Oid }

async function listIn({ home, db }: Home, { repo, root }: Place) {
  const onto = await findTarget(home, repo)
  const unmerged = await listUnmerged(root, { from: onto.commit, limit: LISTED_MAX })
  const worktrees = (await listWorktrees(root)).filter(({ prunable }) => !prunable)
  const detached = worktrees.flatMap(({ head, branch, detached }) =>
    detached && head && head !== onto.commit ? [{ branch, head }] : [],
  )
  const branches = unmerged.map(({ ref, oid }) => ({ branch: ref, head: oid }))
  const found: ImportableDocument["work"][number][] = []
  for (const one of [...branches, ...detached]) {
    const worktree = worktrees.find((tree) => isOf(tree, one))
    const branch = one.branch ? branchOf(one.branch) : null
    const path = worktree?.path ?? null
    const isTasks =
      findOwnerOfWork(db, { path: root, branch, worktree: path }) !== undefined ||
      (path !== null && findOwnWorktree(db, path) !== undefined)
    if (branch === onto.target || isTasks) continue
    const ahead = await countCommits(root, { from: onto.commit, to: one.head })
    if (ahead === 0 || (await hasEachChange(root, { target: onto.commit, commit: one.head })))
      continue // it has landed, perhaps under other ids
    found.push({
      repo: repo.name,
      path: root,
      branch,
      worktree: path,
      head: one.head,
      target: onto.target,
      ahead,
      madeBy: findMaker({ branch, worktree: path, repo: root }),
      behind: await countCommits(root, { from: one.head, to: onto.commit }),
      uncommitted: path === null ? 0 : await countUncommitted(path),
    })
  }
  return found
}

const isOf = (tree: Worktree, { branch, head }: Found): boolean =>
  branch ? tree.branch === branch : tree.detached && tree.head === head

async function countUncommitted(worktree: string): Promise<number> {
  const { staged, unstaged, unmerged, untracked } = await readStatus(worktree)
  return new Set([...staged, ...unstaged, ...unmerged, ...untracked]).size
}
