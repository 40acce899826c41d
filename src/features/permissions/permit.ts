/** Says whether an agent may use a tool now: by the rules, or by asking a person. */
import { createHash } from "node:crypto"
import type { TaskId } from "../../base/ids.ts"
import type { Permission, ToolUse } from "../../kernel/runtime/runtime.ts"
import { askPerson } from "../../kernel/tasks/ask-person.ts"
import type { JobsContext, Rows } from "../../kernel/tasks/context.ts"
import { findPermission } from "../../kernel/tasks/rows/questions/ask.ts"
import { ALLOW, DENY, isAllowed } from "../../kernel/tasks/rules/question.ts"
import { reachedPath } from "./reached-path.ts"
import { decide, describeUse, isGuarded, type Permissions, pathOf } from "./rules.ts"

export type Permit = {
  readonly task: TaskId
  readonly permissions: Permissions
  /** The agent's worktree. */
  readonly cwd: string
  /** How long the agent may wait for the answer. */
  readonly waitMsMax: number
}

const LATER =
  "No person can allow this now. Do not try it another way: end your turn. When a person has " +
  "decided, you go on from here."

const TOO_LONG =
  "A person must allow this, and its input is too long to read. Do it in smaller steps."

/** An answer holds for one input. Inputs that differ in hidden values alone differ in their digest. */
function subjectOf(use: ToolUse, hidden: ToolUse): ToolUse {
  const [whole, shown] = [use, hidden].map(({ tool, input }) => JSON.stringify({ tool, input }))
  if (whole === shown || whole === undefined) return hidden
  const digest = createHash("sha256").update(whole).digest("hex")
  return { ...hidden, digest } as ToolUse
}

/** @returns undefined for an agent whose rules can have no effect. */
export const guardOf =
  (context: Rows & Pick<JobsContext, "secrets">): JobsContext["guard"] =>
  (task, { permissions, session }, cwd) => {
    if (!isGuarded(permissions)) return undefined
    const asker = { task, permissions, cwd, waitMsMax: session.askWaitMs }
    return (use, signal) => permit(context, asker, { use, signal })
  }

/** Once a person has allowed an input, the same task does not ask for it again. */
export async function permit(
  context: Rows & Pick<JobsContext, "secrets">,
  { task, permissions, cwd, waitMsMax }: Permit,
  { use, signal }: { readonly use: ToolUse; readonly signal: AbortSignal },
): Promise<Permission> {
  const path = pathOf(use)
  const reached = path === undefined ? undefined : reachedPath(path, cwd)
  const decision = decide(permissions, use, cwd, reached)
  if (decision === "allow") return { kind: "allowed" }
  if (decision === "deny")
    return { kind: "denied", message: `The configuration forbids this use of ${use.tool}.` }
  const subject = subjectOf(use, context.secrets.hideIn(task, use))
  const text = describeUse(subject)
  if (text === undefined) return { kind: "denied", message: TOO_LONG }
  if (findPermission(context.db, { task, text, subject })) return { kind: "allowed" }
  const asked = { task, kind: "permission", text, choices: [ALLOW, DENY], subject } as const
  const end = await askPerson(context, asked, { waitMsMax, signal })
  if (end.kind !== "answered") return { kind: "denied", message: LATER }
  if (isAllowed(end.answer)) return { kind: "allowed" }
  return { kind: "denied", message: `A person denied this (${end.answer}).` }
}
