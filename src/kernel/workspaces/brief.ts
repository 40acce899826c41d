/** Writes an agent's brief about its workspace, which precedes the conversation. Pure. */
import type { WorkspaceFacts } from "./environment.ts"

/** A section of the system prompt: where the agent is, and what it leaves to Coppice. */
export function workspaceBrief(facts: WorkspaceFacts): string {
  if (facts.strategy === "static") return folderBrief(facts)
  if (facts.isReview) return reviewBrief(facts)
  const { task, worktree, branch, target, base, workItem, repo, slug } = facts
  return `# Your workspace

You work for Coppice on task ${task}${workItem === null ? "" : ` (work item ${workItem})`}: ${facts.title}
- Worktree: ${worktree} (a git worktree of your own; stay inside it)
- Branch: ${branch}, started from ${target} at ${base}
${others(facts)}- Repository: ${repo} (a person's checkout: read it if you must, never change it)
- ${portsOf(facts)}Name databases and the like ${slug}; other tasks have names of their own.
- The same facts are in the COPPICE_* environment variables.

Commit your work on this branch, or leave it uncommitted: Coppice commits what is left, brings it
onto ${target}, runs the tests on the result and lands it. Do not merge, push, or rebase onto
${target} yourself, do not switch to another branch, and do not add or remove worktrees. Do not use \`git stash\`, whose list
you share with others: commit. If your work
conflicts with newer work on ${target}, or the tests fail, you get a message here and fix it.

When a decision is not yours to take, ask: the tools of the MCP server \`coppice\`, or \`coppice agent ask
"<question>"\` in a shell. There you also run the tests that decide (\`check\`), say that you are done or
stuck, see who else works on the same files (\`peers\`) and propose further tasks (\`propose_task\`).
`
}

/** The brief of a reviewer, whose worktree is thrown away. */
function reviewBrief(facts: WorkspaceFacts): string {
  const { task, worktree, base, repo, slug } = facts
  return `# Your workspace

You review another agent's work for Coppice, as task ${task}.
- Worktree: ${worktree}, at the commit to review (${base}). It is yours alone and goes when you stop.
${others(facts)}- Repository: ${repo} (a person's checkout: read it if you must, never change it)
- ${portsOf(facts)}Name databases and the like ${slug}; other tasks have names of their own.

Change, commit, push and land nothing: your answer is your verdict. Give it with the tool \`review\` of the
MCP server \`coppice\`, or with \`coppice agent review approve|changes "<comments>"\` in a shell.
`
}

/** A sentence about the ports, or nothing. */
function portsOf({ ports }: WorkspaceFacts): string {
  return ports ? `Ports ${ports.first} to ${ports.first + ports.count - 1} are yours alone. ` : ""
}

/** The brief for a static folder, which belongs to the user. */
function folderBrief(facts: WorkspaceFacts): string {
  const { task, title, worktree, workItem, slug } = facts
  return `# Your workspace

You work for Coppice on task ${task}${workItem === null ? "" : ` (work item ${workItem})`}: ${title}
- Folder: ${worktree} (a person's own, with their files in it; no other task works in it now)
- ${portsOf(facts)}Name databases and the like ${slug}; other tasks have names of their own.
- The same facts are in the COPPICE_* environment variables.

The files in this folder are the result: nothing is committed, tested or landed for you. Files from
before are a person's work: do not reset, clean or overwrite files outside your task.
`
}

/** Lines of the list about the task's other repositories; each ends the line. */
function others({ worktree: own, worktrees }: WorkspaceFacts): string {
  return worktrees
    .filter(({ worktree }) => worktree !== own)
    .map(
      ({ name, worktree, branch, target }) =>
        `- The task also has repository ${name}: worktree ${worktree}, branch ${branch}, started from ${target}. All of the task's repositories land together, or none.\n`,
    )
    .join("")
}
