/** The configuration of the kept home: its repositories, and agents that are small shell scripts. */
import { join } from "node:path"
import type { Place } from "./place.ts"

/** Each has one landing, which is stopped in the state that the repository is named after. */
export const STOPPED = [
  "snapshotting",
  "preparing",
  "syncing",
  "gating",
  "publishing",
  "cleaning",
] as const

export const REPOS = ["app", "web", "shop", "notes", ...STOPPED, "left", "right"] as const

/** A loop of the shell that ends when a person lets this name go on. */
export const until = (name: string): string => `until test -e "$GO/${name}"; do sleep 0.1; done`

/**
 * The first turn runs its prompt, or the fenced part of it, and later ones what the agent is set to do then. A
 * repetition does the same.
 */
const RUN = `
if [ "$COPPICE_TURN" -gt 1 ]; then cat > /dev/null; eval "$LATER"; exit; fi
prompt=$(cat); part=$(printf '%s\\n' "$prompt" | sed -n '/^\`\`\`/,/^\`\`\`/{/^\`\`\`/d;p;}')
eval "\${part:-$prompt}"`
const LATER = "echo later > later-$COPPICE_TASK.txt"

export function configOf(place: Place): object {
  const env = { GO: join(place.path, "go"), LATER }
  const script = (command: string, more: object = {}) => ({
    runtime: "command",
    command,
    env,
    session: { ask_wait: "1s" },
    ...more,
  })
  const run = (more: object = {}, later = LATER) =>
    script(RUN, { ...more, env: { ...env, LATER: later } })
  return {
    version: 1,
    repos: Object.fromEntries(REPOS.map((name) => [name, repoOf(place, name)])),
    defaults: { workspace: { pool: 0 } },
    agents: {
      sh: run({ hooks: { after_run: [{ command: "cat > /dev/null" }] } }),
      other: run(),
      single: run({ max_concurrent: 1 }),
      planner: script(
        `cat > /dev/null
         if [ "$COPPICE_PHASE" = planning ]; then ${until("plan")}; echo "Write the file."; exit; fi
         echo planned > planned-$COPPICE_TASK.txt`,
      ),
      author: run({ review: { by: "critic" } }),
      critic: script(
        `cat > /dev/null; ${until("review")}; coppice agent review approve "It is fine."`,
        { containment: "none" },
      ),
      // An agent whose first work breaks the gate.
      fixer: run({}, `${until("fixed")}; rm -f bad.txt`),
      stubborn: run({ landing: { max_handbacks: 0 } }, "rm -f bad.txt"),
      lead: run({ tasks: { propose: "allow" } }),
      proposer: run({ landing: { mode: "pr" } }),
      writer: run({
        working_directory: { root: "../repos/notes" },
        workspace: { strategy: "static" },
      }),
      pooled: run({ workspace: { pool: 1 } }),
      timed: script(`cat > /dev/null; ${until("tick")}; echo tick > tick.txt`, {
        schedules: { nightly: { interval: "20d", prompt: "Do it at night.", title: "a tick" } },
      }),
      clerk: script(`cat > /dev/null; ${until("item")}; echo item > item.txt`),
    },
    sources: { todo: { type: "files", folder: "items", agent: "clerk", interval: "1s" } },
    limits: { concurrent: 60 },
  }
}

function repoOf(place: Place, name: (typeof REPOS)[number]): object {
  const repo = { path: `../repos/${name}`, setup: false, gate: "test ! -e bad.txt", ports: 0 }
  const go = join(place.path, "go")
  if (name === "gating") return { ...repo, gate: `until test -e "${go}/gate"; do sleep 0.1; done` }
  if (name === "app") return { ...repo, ports: 2 }
  if (name !== "shop") return repo
  const forge = { type: "github", project: "acme/demo", api_url: place.forge.url }
  return { ...repo, forge: { ...forge, token_variable: "GH_BOT_TOKEN", poll: "1s" } }
}
