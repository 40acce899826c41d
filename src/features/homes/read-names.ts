/**
 * Reads the names in a home that complete a command line. Starts no daemon, and changes nothing.
 *
 * A person waits for it after each press of Tab, so it loads neither the configuration's schema
 * nor whole tasks.
 */
import { existsSync } from "node:fs"
import { basename } from "node:path"
import { readHomeConfig } from "../../api/client/config/config-layers.ts"
import type { Home } from "../../api/client/home.ts"
import { databasePath, stateDirOf } from "../../api/client/state-dir.ts"
import type { NamesDocument } from "../../api/wire/shell.ts"
import { AppError } from "../../base/errors.ts"
import { readYaml } from "../../base/text/yaml.ts"
import { repoNameFrom } from "../../config/key-names.ts"
import { readDb } from "../../kernel/store/open.ts"
import { listTaskTitles } from "../../kernel/tasks/rows/list-titles.ts"

/** More than a person looks through. */
const TASKS_MAX = 100
/** The agent and the repository without a configuration. */
const AGENT_BY_DEFAULT = "claude"

/** Leaves out names that it cannot read. */
export function readNames(
  { home }: Pick<Home, "home">,
  env: Readonly<Record<string, string | undefined>>,
): NamesDocument {
  const { agents, repos } = orEmpty(() => namesIn(readHomeConfig(home, env).text)) ?? {}
  return {
    tasks: orEmpty(() => tasksIn(databasePath(stateDirOf(home, env)))) ?? [],
    agents: agents ?? [AGENT_BY_DEFAULT],
    repos: repos ?? [repoNameFrom(basename(home))],
  }
}

function orEmpty<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return undefined
  }
}

function tasksIn(path: string): NamesDocument["tasks"] {
  if (!existsSync(path)) return []
  using store = readDb(path)
  return listTaskTitles(store.db, TASKS_MAX).map((task) => ({ ...task, id: String(task.id) }))
}

function namesIn(text: string | null): Partial<Pick<NamesDocument, "agents" | "repos">> {
  const read = text === null ? undefined : readYaml(text)
  if (read?.kind !== "ok") return {}
  const { agents, repos } = (read.value ?? {}) as Record<string, unknown>
  return { ...keys("agents", agents), ...keys("repos", repos) }
}

function keys(name: "agents" | "repos", section: unknown): Record<string, string[]> {
  return section && typeof section === "object" ? { [name]: Object.keys(section) } : {}
}
