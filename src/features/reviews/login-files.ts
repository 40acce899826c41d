/**
 * The files below HOME where agent programs keep logins and conversations: all that a reviewer may change there.
 *
 * Settings, hooks, plugins and lists of servers stand beside them, so no folder is named whole. Programs that a
 * later one runs and what it may do stand in them too, and are locked. A note in them that a later model reads
 * cannot be told apart (docs/security.md).
 */
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { RuntimeName } from "../../config/runtimes.ts"

type Env = Readonly<Record<string, string | undefined>>
type Kept = {
  /** The folder of the program: a variable names it, else it is this one in HOME. */
  readonly variable?: string
  readonly inHome: string
  readonly names: RegExp
  /** The folder of its conversations, which a later turn goes on with. Made if it is missing. */
  readonly conversations?: string
  /** A folder in one of them that a later program obeys. Made if it is missing, so that it can be locked. */
  readonly obeyed?: string
}

const CLAUDE: Kept = {
  variable: "CLAUDE_CONFIG_DIR",
  inHome: ".claude",
  names: /^(\.credentials\.json|projects|todos|tasks|file-history|history\.jsonl)$/,
  conversations: "projects",
}
const CODEX: Kept = {
  variable: "CODEX_HOME",
  inHome: ".codex",
  names: /^(auth\.json|sessions|history\.jsonl|[a-z]+_\d+\.sqlite(-\w+)?)$/,
  conversations: "sessions",
}
const OTHERS: readonly Kept[] = [
  { inHome: ".gemini", names: /^(oauth_creds\.json|tmp)$/, obeyed: "tmp/bin" },
  { inHome: ".qwen", names: /^(oauth_creds\.json|tmp)$/, obeyed: "tmp/bin" },
  {
    inHome: ".local/share/opencode",
    names: /^(auth\.json|storage|opencode\.db(-\w+)?)$/,
    obeyed: "storage/permission",
  },
]

/** A runtime that starts any program keeps the logins of all that we know. */
const BY_RUNTIME: Partial<Record<RuntimeName, readonly Kept[]>> = {
  claude: [CLAUDE],
  "claude-cli": [CLAUDE],
  codex: [CODEX],
}

/** @param env of the reviewer's program. @returns absolute paths that are there. */
export function listLogins(runtime: RuntimeName, env: Env): string[] {
  const own = BY_RUNTIME[runtime]
  return (own ?? [CLAUDE, CODEX, ...OTHERS]).flatMap(
    ({ variable, inHome, names, conversations }) => {
      const folder = (variable && env[variable]) || join(env["HOME"] ?? "/", inHome)
      return namesIn(folder, own && conversations)
        .filter((name) => names.test(name))
        .map((name) => join(folder, name))
    },
  )
}

/** @param env of the reviewer's program. @returns folders inside of those, which stay as they are. */
export function listObeyed(env: Env): string[] {
  const found = OTHERS.flatMap(({ inHome, obeyed }) =>
    obeyed ? join(env["HOME"] ?? "/", inHome, obeyed) : [],
  )
  const present = found.filter((path) => existsSync(dirname(path)))
  for (const path of present) namesIn(dirname(path), basename(path))
  return present
}

/** @param made a folder in it, if one is made. */
function namesIn(folder: string, made: string | undefined): string[] {
  try {
    if (made) mkdirSync(join(folder, made), { recursive: true })
    return readdirSync(folder)
  } catch {
    return [] // the program is not used here, or may not write there
  }
}
