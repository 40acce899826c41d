/** Lists branches and worktrees with work that belongs to no task: of a person, or of another tool. */

import type { ImportableDocument } from "../../api/wire/landings.ts"
import { branchOf, type Oid, type RefName } from "../../base/ids.ts"
import { listUnmerged } from "../../kernel/git/ask/list-refs.ts"
import { countCommits } from "../../kernel/git/ask/rev-list.ts"
import { hasEachChange } from "../../kernel/git/ask/same-changes.ts"
import { readStatus } from "../../kernel/git/ask/status.ts"
import { listWorktrees, type Worktree } from "../../kernel/git/ask/worktree-list.ts"
import type { Home } from "../../kernel/home.ts"
import { findTarget } from "../../kernel/tasks/actions/target.ts"
import { findOwnerOfWork } from "../../kernel/tasks/rows/work-item.ts"
import { findOwnWorktree } from "../../kernel/workspaces/rows/worktrees.ts"
import { listPlaces, type Place } from "./find-work.ts"
import { findMaker } from "./rules.ts"

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
      continue // the branch has landed, perhaps under other ids
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
