/** Starts a person's shell in the worktree of a task, in a terminal. */
import { statSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import { isOuterSession } from "../../base/text/secrets.ts"
import type { Home } from "../../kernel/home.ts"
import { ownLauncher } from "../../kernel/process/own-launcher.ts"
import type { OwnedChild } from "../../kernel/process/owned-child.ts"
import type { ProcessOwner } from "../../kernel/process/owner.ts"
import { withCommand } from "../../kernel/tasks/own-command.ts"
import type { TerminalPlace } from "./terminal.ts"
import { TERMINAL_HOST, type TerminalSize } from "./terminal-frames.ts"

type Starting = Pick<Home, "home" | "stateDir"> & { readonly owner: Pick<ProcessOwner, "spawn"> }

/** Variables that describe the terminal, or the npm, in which the daemon was started. */
const OF_ANOTHER =
  /^(TERM_PROGRAM(_VERSION)?|TERMCAP|TMUX(_PANE)?|STY|WINDOW(ID)?|COLUMNS|LINES|VTE_VERSION|INIT_CWD|npm_.+)$/
/** All but Coppice's own settings belong to a task. */
const OF_TASK = /^COPPICE_(?!(STATE|CLAUDE|TRACE)$)/

/** Starts a shell with the rights of the person, so nothing contains it. */
export async function startShell(
  { owner, home, stateDir }: Starting,
  { task, folder }: TerminalPlace,
  { columns, rows }: TerminalSize,
): Promise<OwnedChild> {
  const env = shellEnvironment(process.env, { home, programs: join(stateDir, "bin") })
  const args = [...ownLauncher(), TERMINAL_HOST, String(columns), String(rows), shellOf(env)]
  const options = { cwd: folder, env, purpose: "terminal", task, isTrusted: true } as const
  return await owner.spawn(process.execPath, args, options)
}

type Facts = { readonly home: string; readonly programs: string }

/** The daemon's own environment, which is that of the person who started it. */
export function shellEnvironment(
  parent: Readonly<Record<string, string | undefined>>,
  { home, programs }: Facts,
): Record<string, string> {
  const passed = Object.entries(parent).filter(
    (one): one is [string, string] => one[1] !== undefined && !isForeign(one[0]),
  )
  const own = Object.fromEntries(passed)
  const terminal = { TERM: "xterm-256color", COLORTERM: "truecolor", COPPICE_HOME: home }
  return { ...own, ...terminal, ...withCommand(own["PATH"], programs) }
}

const isForeign = (name: string): boolean =>
  OF_ANOTHER.test(name) || OF_TASK.test(name) || isOuterSession(name)

function shellOf({ SHELL = "" }: Readonly<Record<string, string>>): string {
  const isThere = isAbsolute(SHELL) && statSync(SHELL, { throwIfNoEntry: false })?.isFile()
  return isThere ? SHELL : "/bin/sh"
}
