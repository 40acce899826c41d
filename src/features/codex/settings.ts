/** How Codex is started: its servers, its permissions, and what it must not load. */
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { findVersion, isAtLeast, type Version } from "../../base/requirements.ts"
import { UnstartableError } from "../../kernel/process/errors.ts"
import type { SessionStart } from "../../kernel/runtime/runtime.ts"
import { type Fields, fieldsOf, textOf } from "../runtimes/json-fields.ts"
import type { JsonRpc } from "../runtimes/json-rpc.ts"

/** A verb may take this much longer than a person: `check` runs the gate. */
const VERB_S_MAX = 60 * 60

/**
 * Nothing in the repository may configure the agent: neither its `.codex` folder, nor its AGENTS.md
 * as it is in the worktree. Coppice passes the instructions of the target's commit.
 *
 * @returns options of the command line.
 */
export function codexOptions({ place: { cwd, env }, person }: SessionStart): string[] {
  const url = env["COPPICE_URL"]
  const timeoutS = Math.ceil(person.waitMsMax / 1000) + VERB_S_MAX
  const settings = {
    project_doc_max_bytes: 0,
    check_for_update_on_startup: false,
    projects: { [cwd]: { trust_level: "untrusted" } },
    ...(url && {
      "mcp_servers.coppice.url": `${url}/agent/mcp`,
      // The program reads the token from its environment, so it is on no command line.
      "mcp_servers.coppice.bearer_token_env_var": "COPPICE_TOKEN",
      "mcp_servers.coppice.tool_timeout_sec": timeoutS,
    }),
  }
  return Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${toml(value)}`])
}

const toml = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? `{${Object.entries(value)
        .map(([key, inner]) => `${JSON.stringify(key)}=${toml(inner)}`)
        .join(",")}}`
    : JSON.stringify(value)

/** The settings of `thread/start`; they go through the pipe. */
export async function threadSettings(rpc: JsonRpc, session: SessionStart): Promise<Fields> {
  const { place, model, conversation, person } = session
  const asks = person.permit ? { ...ASKS, ...(await serversThatAsk(rpc)) } : {}
  return {
    cwd: place.cwd,
    approvalPolicy: person.permit ? "untrusted" : "never",
    approvalsReviewer: "user",
    sandbox: "danger-full-access",
    developerInstructions: await conversation.systemPrompt(),
    config: { ...asks, ...serverSettings(session) },
    ...(model && { model }),
  }
}

/** A program of a server may have to be fetched first. */
const SERVER_START_S_MAX = 60

/** The settings go through the pipe, so their values are on no command line. */
function serverSettings({ servers, person }: SessionStart): object {
  const settings = servers.map((server) => {
    const key = `mcp_servers.${server.name}`
    const asks = person.permit ? { default_tools_approval_mode: "prompt" } : {}
    if (server.kind === "http")
      return [key, { url: server.url, http_headers: server.headers, ...asks }]
    const [command, ...args] = server.command
    const { env } = server
    return [key, { command, args, env, startup_timeout_sec: SERVER_START_S_MAX, ...asks }]
  })
  return Object.fromEntries(settings)
}

/** Without the tools that work unasked: one types into a program that runs, others read or search. */
const ASKS = {
  "features.unified_exec_tty": false,
  "features.view_image": false,
  "features.image_generation": false,
  "features.apps": false,
  web_search: "disabled",
}

/** The user's own servers ask before each tool too. */
async function serversThatAsk(rpc: JsonRpc): Promise<Fields> {
  const { config } = await rpc.ask("config/read", {})
  const names = Object.keys(fieldsOf(fieldsOf(config)["mcp_servers"]))
  const asking = names
    .filter((name) => name !== "coppice")
    .map((name) => [`mcp_servers.${name}.default_tools_approval_mode`, "prompt"])
  return Object.fromEntries(asking)
}

/** The oldest version that was seen to ask before each command: others run some that they hold for safe. */
const ASKING: Version = { major: 0, minor: 169 }

/**
 * Refuses a program that would not ask before each use of a tool.
 *
 * @param greeting its answer to `initialize`.
 * @throws {UnstartableError} which says why, and how to mend it.
 */
export function requireAsking(greeting: Fields, { person }: SessionStart): void {
  if (!person.permit) return
  const said = textOf(greeting["userAgent"])
  const version = findVersion(said)
  if (!version || !isAtLeast(version, ASKING))
    throw new UnstartableError(
      `\`permissions\` need codex ${ASKING.major}.${ASKING.minor} or newer, and this is ${said || "unknown"}: \`npm install -g @openai/codex@latest\``,
    )
  const file = findRules(textOf(greeting["codexHome"]))
  if (file !== undefined)
    throw new UnstartableError(
      `\`permissions\` need codex to ask before each command, and ${file} lets some pass: move it away, or give the agent a CODEX_HOME of its own in \`env\``,
    )
}

/** A file of rules of the user, by which the program runs commands without asking. */
function findRules(home: string): string | undefined {
  const folder = join(home, "rules")
  if (!existsSync(folder)) return undefined
  const files = readdirSync(folder).filter((name) => name.endsWith(".rules"))
  return files.map((name) => join(folder, name)).find((file) => statSync(file).size > 0)
}

/** @throws {UnstartableError} if a policy of the machine has changed who decides. */
export function requireAsked(thread: Fields, { person }: SessionStart): void {
  if (!person.permit) return
  const { approvalPolicy, approvalsReviewer } = thread
  if (approvalPolicy === "untrusted" && approvalsReviewer === "user") return
  const said = JSON.stringify([approvalPolicy, approvalsReviewer])
  const text = `a policy of this machine keeps codex from asking for \`permissions\`: ${said}`
  throw new UnstartableError(text)
}
