/** Runs Codex as an agent, through its app server. */
import { findProgram } from "../../kernel/process/find-program.ts"
import type { Runtime } from "../../kernel/runtime/runtime.ts"
import { holderName } from "../runtimes/conversation-holder.ts"
import { RuntimeMissingError } from "../runtimes/errors.ts"
import { type ProgramFiles, withTranscript } from "../runtimes/transcripts.ts"
import { CodexConversation } from "./conversation.ts"

type Env = Readonly<Record<string, string>>

const MISSING = "there is no codex program"
const HINTS = ["Install it: `npm install -g @openai/codex`.", "Or set COPPICE_CODEX to its path."]

type Options = {
  /** The daemon's own: it chooses the program, and is not passed on. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export function codexRuntime({ env }: Options): Runtime {
  const find = () => findProgram(env["COPPICE_CODEX"] ?? "codex", { path: env["PATH"], cwd: "/" })
  return {
    name: "codex",
    account: (of) => (of["OPENAI_API_KEY"] || of["CODEX_API_KEY"] ? null : `codex:${homeOf(of)}`),
    unavailable: async () => (find() ? undefined : { message: MISSING, hints: HINTS }),
    holder: (of) => holderName("codex", [homeOf(of)]),
    interactive: ({ programId }) => {
      const program = find()
      if (!program) return { kind: "none", reason: MISSING, hints: HINTS }
      if (programId === null)
        return { kind: "none", reason: "it has no conversation yet", hints: [] }
      return { kind: "program", program, args: ["resume", programId], env: {} }
    },
    run: async (session) => {
      const program = find()
      if (!program) throw new RuntimeMissingError(MISSING, HINTS)
      if (session.signal.aborted) return { kind: "aborted" }
      return await withTranscript(session, filesOf(session.place.env), (one) =>
        new CodexConversation({ session: one, program }).run(),
      )
    },
  }
}

const filesOf = (env: Env): ProgramFiles => ({
  root: homeOf(env),
  below: "sessions",
  endOf: ({ programId }) => (programId === null ? undefined : `-${programId}.jsonl`),
})

const homeOf = ({ CODEX_HOME, HOME }: Env): string => CODEX_HOME ?? `${HOME}/.codex`
