/**
 * Recognises the tool that made a worktree or a branch, by its path or its name. Pure.
 *
 * @see https://code.claude.com/docs/en/worktrees
 * @see https://github.com/smtg-ai/claude-squad/blob/main/session/git/worktree.go
 * @see https://github.com/BloopAI/vibe-kanban
 * @see https://docs.rs/crate/worktrunk/latest/source/dev/config.example.toml
 * @see https://cursor.com/docs/configuration/worktrees
 * @see https://developers.openai.com/codex/app/worktrees
 */

export type Made = {
  readonly branch: string | null
  /** Real path; null for a branch that is checked out nowhere. */
  readonly worktree: string | null
  /** The repository's main worktree, or bare directory. */
  readonly repo: string
}

const BY_PATH: readonly (readonly [tool: string, path: RegExp])[] = [
  ["Claude Code", /\/\.claude\/worktrees\//],
  ["claude-squad", /\/\.claude-squad\/worktrees\//],
  ["vibe-kanban", /\/(\.?vibe-kanban(-dev)?\/worktrees|\.vibe-kanban-workspaces)\//],
  ["Cursor", /\/\.cursor\/worktrees\//],
  ["Codex", /\/\.codex\/worktrees\//],
]
const BY_BRANCH: readonly (readonly [tool: string, branch: RegExp])[] = [
  ["Claude Code", /^worktree-/],
  ["vibe-kanban", /^vk\//],
]

/** @returns null where nothing tells it. */
export function findMaker({ branch, worktree, repo }: Made): string | null {
  const byPath = worktree && BY_PATH.find(([, path]) => path.test(worktree))
  if (byPath) return byPath[0]
  // worktrunk's default: next to the repository, with the branch in the name.
  if (branch && worktree === `${repo}.${branch.replace(/[/\\]/g, "-")}`) return "worktrunk"
  const byBranch = branch && BY_BRANCH.find(([, pattern]) => pattern.test(branch))
  return byBranch ? byBranch[0] : null
}
