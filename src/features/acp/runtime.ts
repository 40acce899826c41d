/** Runs any program that speaks the Agent Client Protocol as an agent. */
import { basename } from "node:path"
import { isMissing } from "../../kernel/process/find-program.ts"
import type { Runtime } from "../../kernel/runtime/runtime.ts"
import { holderName } from "../runtimes/conversation-holder.ts"
import { AcpConversation } from "./conversation.ts"

export type AcpOptions = {
  /** The program and its arguments. */
  readonly command: readonly string[]
  /** The PATH on which `unavailable` looks for the program. */
  readonly path: string | undefined
}

/**
 * Nothing in the repository may configure an agent, and no program may replace itself under a
 * running one. Each program knows its own variables and ignores the others.
 */
const ENV = {
  GEMINI_CLI_TRUST_WORKSPACE: "false",
  OPENCODE_DISABLE_PROJECT_CONFIG: "1",
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  CODEX_CONFIG: JSON.stringify({ project_doc_max_bytes: 0, check_for_update_on_startup: false }),
}

/** Where programs keep their conversations. */
const STORE = /^(HOME|XDG_(DATA|STATE|CONFIG)_HOME|[A-Z]+_(CLI_HOME|CONFIG_DIR|HOME_DIR|DB))$/

export function acpRuntime({ command, path }: AcpOptions): Runtime {
  const [program = "", ...args] = command
  const name = basename(program)
  return {
    name: "acp",
    account: () => null,
    unavailable: async () => {
      // A relative path starts at the worktree, so `run` will report it.
      if (!isMissing(program, path)) return undefined
      const hints = ["Name a program that is on the PATH of Coppice, or its absolute path."]
      return { message: `there is no program ${program}`, hints }
    },
    holder: (of) => {
      const stores = Object.entries(of).filter(([variable]) => STORE.test(variable))
      return holderName("acp", [name, ...stores.map((one) => one.join("=")).sort()])
    },
    interactive: () => ({
      kind: "none",
      reason: "the Agent Client Protocol has no way to open a conversation in a terminal",
      hints: ["`coppice open <task>` prints its worktree."],
    }),
    run: async (session) => {
      if (session.signal.aborted) return { kind: "aborted" }
      return await new AcpConversation(session, { name, program, args, env: ENV }).run()
    },
  }
}
