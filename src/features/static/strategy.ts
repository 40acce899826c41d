/**
 * Lets an agent work directly in a folder of the user's.
 *
 * Set-up and teardown never make, change, reset or remove anything there (laws 4 and 5). They only
 * write objects without a ref to the folder's repository, so that we can report what the agent has
 * changed.
 */
import { AppError } from "../../base/errors.ts"
import { readCommit } from "../../kernel/git/ask/rev-parse.ts"
import { findGitDir } from "../../kernel/git/start/git-dir.ts"
import { WorkspaceError } from "../../kernel/workspaces/errors.ts"
import { readFolderState } from "../../kernel/workspaces/folder-state.ts"
import type {
  FoundWorkspace,
  TornDown,
  Workspace,
  WorkspaceRequest,
  WorkspaceStrategy,
} from "../../kernel/workspaces/workspace.ts"

const NOTHING_MADE = {
  branch: undefined,
  fresh: false,
  placed: [],
  copied: [],
  linked: [],
  copiedEntries: 0,
}

export class StaticStrategy implements WorkspaceStrategy {
  readonly name = "static"

  /** @throws {WorkspaceError} `workspace.folder_refused`, `workspace.no_commits` (user) */
  async setup({ repo, signal }: WorkspaceRequest): Promise<Workspace> {
    signal.throwIfAborted()
    const base = findGitDir(repo) ? await readCommit(repo, "HEAD") : undefined
    if (!findGitDir(repo)) throw notARoot(repo)
    if (!base)
      throw new WorkspaceError("workspace.no_commits", `${repo} has no commit yet.`, [
        'Make a first one, e.g. `git commit --allow-empty -m "Start"`.',
      ])
    const { asFound, notices } = await look(repo)
    return { worktree: repo, base, asFound, notices, ...NOTHING_MADE }
  }

  async teardown(): Promise<TornDown> {
    return { rescued: [], worktree: "kept", branch: "kept", notices: [] }
  }

  async findWorkspaces(): Promise<readonly FoundWorkspace[]> {
    return []
  }

  /** This strategy makes no branch. */
  async removeLeftBranch(): Promise<Pick<TornDown, "rescued" | "notices">> {
    return { rescued: [], notices: [] }
  }

  async leavePool(): Promise<void> {}

  disown(): void {}
}

/** If the folder cannot be read, the task still starts. */
async function look(folder: string): Promise<Pick<Workspace, "asFound" | "notices">> {
  try {
    return { asFound: await readFolderState(folder), notices: [] }
  } catch (error) {
    if (!(error instanceof AppError) || error.blame === "bug") throw error
    const notice = `Changes made by the agent will not be reported: ${error.message}`
    return { asFound: undefined, notices: [notice] }
  }
}

function notARoot(folder: string): WorkspaceError {
  return new WorkspaceError(
    "workspace.folder_refused",
    `${folder} is not the root of a repository or of a worktree.`,
    ["Set `working_directory.root` of the agent in coppice.yml to one."],
  )
}
