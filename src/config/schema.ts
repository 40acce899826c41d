/**
 * coppice.yml as people write it. Strict: a key that is not here is an error.
 *
 * The JSON Schema in docs/generated is made from this.
 */
import { z } from "zod"
import { AgentKeys } from "../declared/schemas.ts"
import { ContainedFile, ContainerFile, containmentBy } from "../features/containment/config.ts"
import { CONTAINMENTS } from "../features/containment/rules/containment.ts"
import { GIT_HOOKS } from "../features/git-hooks/rules.ts"
import { HooksFile, NoticeFile } from "../features/hooks/config.ts"
import { parseRule } from "../features/permissions/rules.ts"
import { ScheduleFile } from "../features/schedules/config.ts"
import { apiUrl, source, tokenVariable } from "../features/sources/config.ts"
import { PORTS_MAX } from "../kernel/workspaces/rules/ports.ts"
import { findUnkept } from "./agent-of-task.ts"
import { findFault, findServerFault } from "./agent-words.ts"
import { McpServersFile } from "./mcp-fields.ts"
import { age, bytes, duration, money, share, span } from "./measures.ts"
import { CODEX_EXEC_GONE, RUNTIME_NAMES } from "./runtimes.ts"
import { command, count, flag, optionalCommand, text } from "./value-kinds.ts"

const worktreeCleanup = z.strictObject({
  enabled: flag(true),
  interval: duration("6h"),
  max_worktree_age: age("7d"),
  cleanup_on_startup: flag(true),
  prune_unmerged_branches: flag(false),
})

/** Rules of an agent for its own worktrees. */
const ownMaintenance = z.strictObject({
  worktree_cleanup: z
    .strictObject({
      enabled: flag(true).unwrap().optional(),
      max_worktree_age: age("7d").unwrap().optional(),
      prune_unmerged_branches: flag(false).unwrap().optional(),
    })
    .prefault({}),
})

const sessionCleanup = z.strictObject({ enabled: flag(true), interval: duration("1h") })

const rescue = z.strictObject({
  max_age: age("90d"),
  max_count: count(1).prefault(200),
  max_size: bytes.prefault("1GB"),
})

/** Where a proxy of the person serves the dashboard, which has no path of its own. */
const publicUrl = apiUrl
  .refine((url) => new URL(url).href === `${new URL(url).origin}/`, "must have no path")
  .transform((url) => new URL(url).origin)

/** `maintenance` of coppice.yml: automatic clean-up, and how long finished things are kept. */
const MaintenanceFile = z.strictObject({
  worktree_cleanup: worktreeCleanup.prefault({}),
  session_cleanup: sessionCleanup.prefault({}),
  retention: age("90d"),
  rescue: rescue.prefault({}),
})

const name = text.regex(
  /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
  "a name starts with a letter or digit and holds only letters, digits, `.`, `_` and `-`",
)

const inside = text.refine(
  (path) => !path.startsWith("/") && !path.split("/").includes(".."),
  "must be a path inside the repository",
)

const branch = text.refine(
  (ref) => !ref.startsWith("refs/") && !ref.startsWith("-"),
  "must be a branch name, such as main",
)

/** A remote's name in git's configuration, which must not begin like an option. */
const remoteName = text.regex(/^[A-Za-z0-9][A-Za-z0-9._/-]*$/, "must be the name of a remote")

const forge = z.strictObject({
  type: z.enum(["github", "gitlab", "gitea"]).optional(),
  project: text.regex(/^[\w.-]+(\/[\w.-]+)+$/, "must be as <owner>/<name>").optional(),
  api_url: apiUrl.optional(),
  remote: remoteName.default("origin"),
  token_variable: tokenVariable.optional(),
  poll: duration("30s"),
})

const repo = z.strictObject({
  path: text.default("."),
  target: branch.optional(),
  gate: optionalCommand.optional(),
  gate_timeout: duration("20m"),
  gate_files: z.array(inside).optional(),
  gate_writes: z.array(inside).default([]),
  setup: optionalCommand.optional(),
  check: command.optional(),
  teardown: command.optional(),
  ports: count(0, PORTS_MAX).prefault(10),
  copy: z.array(inside).default([]),
  link: z.array(inside).default([]),
  approve: flag(false),
  push_target: flag(false),
  forge: forge.prefault({}),
})

/** `ext::` and its like would run commands; what begins like an option would be one. */
const cloneUrl = text.refine(
  (url) => !url.startsWith("-") && !url.includes("::") && !/[\p{Cc}\s]/u.test(url),
  "must be the URL or the path of a repository",
)

const workingDirectorySection = z
  .strictObject({
    root: text.default("."),
    default_branch: branch.optional(),
    auto_clone: cloneUrl.optional(),
    clone_depth: count(1).optional(),
  })
  .superRefine(({ auto_clone: url, clone_depth: depth }, context) => {
    const message = "is only for a repository that is cloned: `auto_clone` is missing"
    if (depth !== undefined && url === undefined)
      context.addIssue({ code: "custom", path: ["clone_depth"], message })
  })

type WorkingDirectoryFile = z.infer<typeof workingDirectorySection>
/** Text is its `root`. */
const workingDirectory = z.union([
  text.transform((root): WorkingDirectoryFile => ({ root })),
  workingDirectorySection,
])

const PLACEHOLDERS = ["{agent}", "{workItem}", "{jobId}", "{date}", "{scheduleName}"]

const branchPattern = text.superRefine((pattern, context) => {
  for (const [found] of pattern.matchAll(/\{[^}]*\}/g))
    if (!PLACEHOLDERS.includes(found))
      context.addIssue({
        code: "custom",
        message: `${found} is not known: there are ${PLACEHOLDERS.join(", ")}`,
      })
})

const workspace = z.strictObject({
  strategy: z.enum(["git_worktree", "static"]).default("git_worktree"),
  worktree_dir: text.default("../<repo>.worktrees"),
  branch_pattern: branchPattern.default("agent/{agent}/{workItem}"),
  fetch_before_setup: flag(true),
  cleanup_on_failure: flag(true),
  keep: z.enum(["always", "on_failure", "never"]).default("never"),
  when_busy: z.enum(["queue", "skip"]).default("queue"),
  commit_message: text.default("agent: {summary}"),
  on_push_failure: z.enum(["fail", "warn", "retry"]).default("retry"),
  pool: z.union([z.literal("auto"), count(0)]).default("auto"),
})

const landing = z.strictObject({
  mode: z.enum(["merge", "approve", "pr", "none"]).optional(),
  max_handbacks: count(0).prefault(2),
  max_attempts: count(1).prefault(3),
  lock_timeout: duration("30s"),
  hook_wait: duration("10m"),
  gate_in: z.enum(["worktree", "candidate"]).default("worktree"),
  require_done: flag(false),
  sign: flag(false),
  signoff: flag(false),
  hooks: z.array(z.enum(GIT_HOOKS)).default([]),
})

const pullRequest = z.strictObject({
  title: text.default("{title}"),
  body: text.default("{summary}"),
  labels: z.array(text).default([]),
  reviewers: z.array(text).default([]),
  draft: flag(false),
  auto_merge: z.union([z.literal(false), z.enum(["merge", "squash", "rebase"])]).default(false),
  delete_branch: flag(false),
})

const rules = z
  .array(
    text.refine(
      (rule) => parseRule(rule) !== undefined,
      "must be a tool, such as `Bash`, or a tool and a pattern, such as `Bash(git push *)`",
    ),
  )
  .default([])

const permissions = z.strictObject({
  default: z.enum(["allow", "ask", "deny"]).default("allow"),
  allow: rules,
  ask: rules,
  deny: rules,
})

const budget = z.strictObject({
  turns: count(1).optional(),
  time: span.optional(),
  tokens: count(1).optional(),
  cost: money.optional(),
})

const differentNames = z
  .array(name)
  .refine((names) => new Set(names).size === names.length, "names an agent twice")
  .default([])

/** The bounds count all tasks below the one that a person, a schedule or a source began. */
const tasks = z.strictObject({
  propose: z.enum(["ask", "allow"]).default("ask"),
  max: count(1).prefault(10),
  max_depth: count(1).prefault(1),
  agents: differentNames,
})

const planMode = z.enum(["none", "auto", "approve"])
/** Another agent writes the plan. */
const plan = z.strictObject({ by: name, mode: planMode.exclude(["none"]).default("auto") })

/** Other agents read the work before it lands; see features/reviews/rules.ts. */
const review = z
  .strictObject({
    by: name.optional(),
    of: z.array(name).min(1).optional(),
    quorum: count(1).prefault(1),
  })
  .superRefine(({ by, of, quorum }, context) => {
    const wrong = (key: string, message: string) =>
      context.addIssue({ code: "custom", path: [key], message })
    if ((by === undefined) === (of === undefined))
      wrong("by", "is the one reviewer, or `of` lists several: set one of the two")
    if (new Set(of).size < (of?.length ?? 0)) wrong("of", "names a reviewer twice")
    if (quorum > (of?.length ?? 1)) wrong("quorum", "is more than there are reviewers")
  })

const variable = text.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is not a name of a variable")
const value = z.union([z.string(), z.number(), z.boolean()], { error: "must be text" })

const program = z.string().regex(/\S/, "must not be empty")

const agent = z
  .strictObject({
    runtime: z
      .enum(RUNTIME_NAMES, {
        error: ({ input }) => (input === "codex-exec" ? CODEX_EXEC_GONE : undefined),
      })
      .default("claude"),
    model: text.optional(),
    system_prompt: text.optional(),
    instructions: z.array(inside).default(["CLAUDE.md", "AGENTS.md"]),
    max_concurrent: count(1).optional(),
    working_directory: workingDirectory.optional(),
    workspace: workspace.prefault({}),
    landing: landing.prefault({}),
    pull_request: pullRequest.prefault({}),
    plan: z.union([planMode, plan]).default("none"),
    session: z
      .strictObject({
        max_turns: count(1).prefault(200),
        timeout: duration("2h"),
        ask_wait: duration("2m"),
        handoff_at: share(0.9),
      })
      .prefault({}),
    budget: budget.prefault({}),
    containment: z.enum(CONTAINMENTS).optional(),
    container: ContainerFile.optional(),
    contained: ContainedFile.prefault({}),
    permissions: permissions.prefault({}),
    env: z.record(variable, value.transform(String)).default({}),
    command: z
      .union([program, z.tuple([program], z.string())], {
        error: "must be a command in one string, or a list of the program and its arguments",
      })
      .optional(),
    resume: z.tuple([program], z.string()).optional(),
    mcp_servers: McpServersFile.default({}),
    tasks: tasks.prefault({}),
    review: z.union([z.literal("none"), review]).default("none"),
    fallback: differentNames,
    fallback_after: duration("10m"),
    reserve: share(0).unwrap().optional(),
    restart_on_failure: flag(false),
    maintenance: ownMaintenance.prefault({}),
    hooks: HooksFile.prefault({}),
    schedules: z.record(name, ScheduleFile).default({}),
    ...AgentKeys.shape,
  })
  .superRefine(({ workspace, landing, containment, container, review }, context) => {
    const { mode = "none" } = landing
    const by = containmentBy({ containment, container })
    if (by === "container" && !container) {
      const message = "`container` needs an image: add `container: { image: <name> }`"
      context.addIssue({ code: "custom", path: ["containment"], message })
    }
    if (review !== "none" && (mode === "pr" || workspace.strategy === "static")) {
      const message =
        mode === "pr"
          ? "is not possible with `mode: pr`: the forge has reviewers of its own"
          : "is not possible with `strategy: static`: nothing lands"
      context.addIssue({ code: "custom", path: ["review"], message })
    }
    if (workspace.strategy !== "static") return
    if (by !== "none") {
      const message = `\`${by}\` is not possible with \`strategy: static\`: the folder holds the repository itself`
      context.addIssue({ code: "custom", path: ["containment"], message })
    }
    if (mode === "none") return
    const message = `\`${mode}\` is not possible with \`strategy: static\`: only \`none\`, as the work stays where it is`
    context.addIssue({ code: "custom", path: ["landing", "mode"], message })
  })
  .superRefine(({ runtime, command, resume, ...rest }, context) => {
    const wrong = (key: string, message: string) =>
      context.addIssue({ code: "custom", path: [key], message })
    const takesCommand = runtime === "command" || runtime === "acp"
    if (takesCommand && command === undefined)
      wrong("command", `is needed with \`runtime: ${runtime}\``)
    for (const [key, words] of Object.entries({ command, resume })) {
      if (words === undefined) continue
      const fault = runtime === "acp" ? findServerFault(words) : findFault(words)
      if (!takesCommand) wrong(key, "is only for `runtime: command`")
      else if (runtime === "acp" && key === "resume") wrong(key, "is only for `runtime: command`")
      else if (fault) wrong(key, fault)
    }
    const mcpServers = Object.keys(rest.mcp_servers)
    const unkept = findUnkept({ ...rest, runtime, mcpServers })
    if (unkept) wrong(unkept.key, `cannot be kept: ${unkept.why}`)
  })

export const ConfigFile = z.strictObject({
  version: z.literal(1, { error: "must be 1, the only version there is" }),
  repos: z.record(name, repo.prefault({})).default({}),
  /** Laid below each agent before this is read: see defaults.ts. */
  defaults: agent.optional(),
  agents: z.record(name, agent.prefault({})).default({}),
  sources: z.record(name, source).default({}),
  notify: z.record(name, NoticeFile).default({}),
  dashboard: z.strictObject({ url: publicUrl.optional() }).prefault({}),
  maintenance: MaintenanceFile.prefault({}),
  limits: z
    .strictObject({
      concurrent: count(1).prefault(4),
      per_day: budget.prefault({}),
      reserve: share(0),
    })
    .prefault({}),
})
export type ConfigFile = z.infer<typeof ConfigFile>
